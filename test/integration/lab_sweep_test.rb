# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/swept"

# The sweep with a real Puma. What it serves and who waits for whom is exact; how long that takes on a machine
# that others use is not, so no time is looked at.
class LabSweepTest < Minitest::Test
  include CommandLine
  include Swept
  include TemporaryFolder

  # Of one process: others may run experiments too.
  SHARED_MEMORY = "/dev/shm/holdup-lab-*-%d-*"
  # Two milliseconds of Ruby and three of waiting.
  APP = <<~RUBY
    run(lambda do |_env|
      stop = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + 0.002
      nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < stop
      sleep 0.003
      [200, {"content-type" => "text/plain"}, ["ok"]]
    end)
  RUBY

  def setup
    File.write(File.join(folder, "config.ru"), APP)
  end

  def path = File.join(folder, "sweep.json")

  def command(*options, server: %w[puma -p {port} config.ru])
    ["lab", "sweep", "--url", "/", "--rate", "80", "--seconds", "1", "--rounds", "1", "--warm-up", "1",
      "--out", path, *options, "--", *server]
  end

  # Our folder is where they run.
  def processes_of_ours
    Dir["/proc/[0-9]*/cwd"].select { |link| ours?(link) }
  end

  def ours?(link)
    File.readlink(link) == File.realpath(folder)
  rescue SystemCallError # it has just ended
    false
  end

  def test_measures_and_predicts_each_setting
    said = holdup_process(*command("--threads", "2,1", "--json", "--store", "#{folder}/store.sqlite3"),
      chdir: folder)
    assert_equal 0, said.status, said.err
    json = JSON.parse(said.out)
    assert_equal [2, 2, 1], json["readings"].map { |reading| reading["setting"]["threads"] }
    assert_equal [[json["readings"].first["sent"], 0]],
      json["readings"].map { |reading| [reading["endpoints"]["GET /"]["count"], reading["errors"]] }.uniq
    assert_equal [2, 1], json["predictions"].map { |prediction| prediction["arm"]["threads"] }
    assert_equal JSON.parse(File.read(path))["readings"], json["readings"]
    assert_can_be_checked("#{folder}/store.sqlite3")
    assert_empty processes_of_ours
  end

  # The file and the store know the same requests.
  def assert_can_be_checked(store)
    baseline = "#{folder}/baseline.json"
    assert_equal 0, holdup("lab", "check", "--baseline", baseline, "--sweep", path, "--write").status
    said = holdup("lab", "check", "--baseline", baseline, "--sweep", path)
    assert_equal 0, said.status, said.out + said.err
    # How long something took is another matter on a busy machine.
    [said,
      holdup("lab", "check", "--baseline", baseline, "--store", store, now_s: Time.now.to_i)].each { |each|
      assert_match(/^GET \/ +1 +1 /, each.out, each.err)
    }
    File.write(baseline, File.read(baseline).sub('"acquisitions": 1', '"acquisitions": 0'))
    assert_equal 1, holdup("lab", "check", "--baseline", baseline, "--sweep", path).status
  end

  def test_ctrl_c_prints_and_keeps_what_there_is_and_it_goes_on_later
    _, out, err, thread = Open3.popen3(RbConfig.ruby, CommandLine::EXE, *command("--processes", "1"),
      chdir: folder)
    nil until (line = err.gets).nil? || line.include?("step 2/2")
    Process.kill(:INT, thread.pid)
    assert_equal 130, thread.value.exitstatus, err.read
    assert_match(/Stopped: 1 of 2 steps is left/, out.read)
    wait_until { processes_of_ours.empty? } # who was killed may take a moment
    assert_empty Dir[format(SHARED_MEMORY, thread.pid)]
    assert_equal 1, JSON.parse(File.read(path))["readings"].size
    assert_goes_on
  end

  # Measured is only what is left.
  def assert_goes_on
    first = JSON.parse(File.read(path))["readings"].first
    said = holdup_process("lab", "sweep", "--resume", path, "--json", chdir: folder)
    assert_equal [0, 0], [said.status, JSON.parse(said.out)["left"]], said.err
    readings = JSON.parse(said.out)["readings"]
    assert_equal [first, [[1, false], [1, true]]],
      [readings.first, readings.map { |reading| reading["arm"].values_at("processes", "again") }]
    steps = said.err.lines.grep(/measuring/).map { |line| line[/step \d\/2/] }.uniq
    assert_equal [0, ["step 2/2"]], [readings.last["errors"], steps], said.err
  end

  # What is in the file stays; the two steps that are left differ in both from each other, as they were
  # booted.
  def test_goes_on_with_other_processes_and_another_jit
    arms = [arm(1, nil, yjit: false), arm(1, nil, yjit: true), arm(2, nil, yjit: false)]
    plan = plan(arms:).with(command: %w[puma -p {port} config.ru], root: folder, rates: [80], seconds: 1,
      warm_up_s: 1)
    ledger(*plan.arms.first(2).map { |arm| reading(arm, rate: 80) }, plan:, path:).write
    before = JSON.parse(File.read(path))["readings"]
    said = holdup_process("lab", "sweep", "--resume", path, "--json", chdir: folder)
    assert_equal 0, said.status, said.err
    readings = JSON.parse(said.out)["readings"]
    assert_equal before, readings.first(2)
    assert_equal [[1, "yjit"], [2, "off"]],
      readings.drop(2).map { |reading| [reading["setting"]["workers"], reading["setting"]["jit"]] }
    assert_equal [0], readings.drop(2).map { |reading| reading["errors"] }.uniq
  end

  def test_a_server_that_ignores_its_variables_is_refused
    said = holdup_process(*command("--threads", "3", server: %w[puma -t 2:2 -p {port} config.ru]),
      chdir: folder)
    assert_equal 1, said.status
    assert_match(/the server runs with 2 threads, not 3; let its configuration read RAILS_MAX_THREADS/,
      said.err)
  end
end
