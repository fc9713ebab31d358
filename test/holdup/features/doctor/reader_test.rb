# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/as_nobody"
require "support/small_file_system"

class Holdup::Doctor::ReaderTest < Minitest::Test
  include AsNobody
  include CommandLine
  include SmallFileSystem

  NOW_S = SampleWindows::START_S + 240
  MEASURE = <<~'RUBY'
    require "holdup/agent/probe"
    probe = Holdup::Probe
    probe.enable
    start = File.read("/proc/self/stat").rpartition(")").last.split[19]
    probe.open_segment(File.join(ARGV[0], "#{Process.pid}-#{start}.segment"), 200, 4096, 0, 0)
    probe.setting = %({"jit":"off","threads":1})
    probe.tick(Array.new(21))
    25.times { |i| probe.record(probe.enter, 1, "A", nil, (i < 5) ? 1000 : nil, false) }
    puts "ready"
    $stdout.flush
    $stdin.read
  RUBY

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def examine(dir: @dir, segments: Holdup::Doctor::SegmentReader, &open_store)
    open_store ||= -> { raise Holdup::Error.new("no store", "make one") }
    Holdup::Doctor::Reader.new(dir:, clock: CommandLine::Still.new(now_s: NOW_S), open_store:,
      segments:).call
  end

  def test_what_it_sees_of_ruby_and_folder
    host = examine
    assert_equal [RUBY_DESCRIPTION, nil], [host.ruby, host.unsupported]
    assert_includes %w[counter monotonic], host.clock_source
    assert_equal [:ok, false, [], []], [host.dir_state, host.collector, host.segments, host.refused]
    assert_equal :missing, examine(dir: "#{@dir}/none").dir_state
  end

  # No process measures into these, and each says so when it starts.
  def test_a_folder_that_processes_refuse_is_not_one_that_is_missing
    Dir.mkdir(real = File.join(@dir, "real"), 0o700)
    File.write(file = File.join(@dir, "file"), "")
    File.symlink(real, link = File.join(@dir, "link"))
    File.symlink("#{@dir}/none", dangling = File.join(@dir, "dangling"))
    [file, link, dangling].each { |path| assert_equal :foreign, examine(dir: path).dir_state, path }
    [file, dangling].each { |path| assert_equal :unmakeable, examine(dir: "#{path}/below").dir_state, path }
    assert_equal :missing, examine(dir: "#{real}/some/folder").dir_state
  end

  def test_a_folder_of_the_user_nobody
    File.chmod(0o755, @dir)
    Dir.mkdir(others = File.join(@dir, "others"))
    File.chmod(0o755, others) # whatever the umask
    File.write(File.join(@dir, "file"), "")
    Dir.mkdir(closed = File.join(@dir, "closed"), 0o700)
    File.chown(NOBODY, NOBODY, closed) if Process.uid.zero?
    states = as_nobody do
      File.chmod(0o500, closed)
      [others, "#{others}/below", closed].map { |path| examine(dir: path).dir_state }
    end
    skip "another user's folder needs root" unless Process.uid.zero?
    assert_equal %i[foreign unmakeable unwritable], states
  end

  def test_a_folder_on_a_read_only_file_system
    on_tmpfs("size=1m") do |folder|
      Dir.mkdir(made = File.join(folder, "made"), 0o700)
      system("mount", "-o", "remount,ro", folder) or skip "a file system can't be made read-only here"
      assert_equal :unwritable, examine(dir: made).dir_state
      assert_equal :unmakeable, examine(dir: File.join(folder, "below")).dir_state
    end
  end

  def test_the_machine_and_what_shows_its_load
    store = Holdup::Store.open("memory:")
    store.commit(SampleWindows.new.to_a, {}, processes: SampleProcesses.new.to_a)
    host = examine { store }
    assert_equal [["web-1", 3]], host.machines.map { |machine| [machine.host, machine.processes] }
    assert_equal [16.0, 21.0, 42.0], host.signals.values_at(:busy, :threads, :backlog)
    assert_operator host.signals[:queued_p95_ns], :>, 0
  end

  def test_a_store_that_can_not_be_opened_is_a_fact
    host = examine
    assert_nil host.store
    assert_equal "no store; make one", host.store_problem.message
  end

  def test_the_newest_of_the_store
    with_store do |path|
      host = examine { Holdup::Store.open(path, read_only: true) }
      assert_equal SampleWindows::START_S + 120, host.store[:newest_s]
    end
  end

  def test_a_process_that_measures
    skip "needs the extension" unless Holdup::Probe.supported?
    measuring do |pid|
      host = examine
      process = host.segments.first
      assert_equal [pid, true, false, 25, 5],
        [process.pid, process.alive, process.closed, process.requests, process.queued]
      assert_equal "off", process.setting["jit"]
      assert_equal 25, host.counter(:units)
    end
    refute examine.segments.first.alive
  end

  def test_a_process_that_was_killed_is_dead_at_once_unless_it_is_of_another_container
    SegmentWriter.new(@dir, pid: 2**22 - 7, start: 1, now_ns: NOW_S * 1_000_000_000)
    assert examine.segments.first.alive
    ours = Holdup::Segment::OwnerProcess.new.namespace
    SegmentWriter.new(@dir, pid: 2**22 - 7, start: 2, now_ns: NOW_S * 1_000_000_000, namespace: ours)
    assert_equal [true, false], examine.segments.map(&:alive)
  end

  def test_names_a_file_that_is_not_a_segment_and_keeps_it
    File.binwrite(file = File.join(@dir, "1-1.segment"), "x" * 5000)
    File.binwrite(File.join(@dir, "2-2.segment"), "")
    host = examine
    assert_equal [0, 2], [host.segments.size, host.refused.size]
    assert_match(/1-1\.segment is not a segment of Holdup/, host.refused.first)
    assert_path_exists file
  end

  def test_the_command_says_it_and_fails_when_something_failed
    with_store do |store|
      said = holdup("doctor", "--dir", @dir, "--store", store, now_s: NOW_S)
      assert_equal [0, ""], [said.status, said.err]
      assert_match(/^warn  No running process measures/, said.out)
    end
    said = holdup("doctor", "--dir", @dir, "--store", "#{@dir}/none.sqlite3", "--lang", "ja")
    assert_equal 1, said.status
    assert_match(/^異常  ストア .* がありません/, said.out)
  end

  private

  def measuring
    lib = File.expand_path("../../../../lib", __dir__)
    IO.popen([RbConfig.ruby, "-I#{lib}", "-e", MEASURE, @dir], "r+") do |process|
      assert_equal "ready\n", process.gets
      yield process.pid
      process.close_write
      process.read
    end
  end
end

class Holdup::Doctor::Checks::RunningServersTest < Minitest::Test
  UPTIME_S = 1000
  HOLDUP = "7f00-7f01 r-xp 0 fd:01 9 /gems/holdup/lib/holdup/native/holdup.so\n"

  def setup
    @proc = Dir.mktmpdir
    File.write("#{@proc}/uptime", "#{UPTIME_S}.00 1.0\n")
  end

  def teardown = FileUtils.remove_entry(@proc)

  def process(pid, *words, parent: 1, maps: "", started_s: 0)
    Dir.mkdir("#{@proc}/#{pid}")
    File.write("#{@proc}/#{pid}/cmdline", words.join("\0") + "\0" * 30)
    File.write("#{@proc}/#{pid}/stat", "#{pid} (ruby) x) S #{parent} #{"0 " * 17}#{started_s * 100} 0 0\n")
    File.write("#{@proc}/#{pid}/maps", maps)
  end

  def found
    Holdup::Doctor::Reader::RunningServers.new(proc: @proc, ticks_per_s: 100).call
  end

  def names
    found.map { |server| "#{server.name} #{server.pid}" }
  end

  def test_knows_servers_and_job_runners_by_their_titles
    process(2, "puma 8.0.2 (tcp://0.0.0.0:3000) [shop]")
    process(3, "unicorn_rails worker[0] -c config/unicorn.rb")
    process(4, "pitchfork (gen:0) worker[1] - requests: 0, waiting")
    process(5, "sidekiq 8.1.7 shop [0 of 5 busy]")
    process(6, "solid-queue-worker(1.7.2): waiting for jobs in *")
    process(7, "good_job subprocess 1")
    assert_equal ["puma 2", "unicorn 3", "pitchfork 4", "sidekiq 5", "solid_queue 6", "good_job 7"], names
  end

  def test_knows_them_by_the_program_that_ruby_runs
    process(2, "/usr/bin/ruby3.4", "-W0", "/usr/bin/good_job", "start")
    process(3, "ruby", "/usr/bin/bundle", "exec", "falcon", "host")
    process(4, "/srv/gems/bin/falcon")
    assert_equal ["good_job 2", "falcon 3", "falcon 4"], names
  end

  # As where a runner in OTHERS gets an adapter.
  def test_counts_a_process_once_that_two_kinds_know
    servers = Holdup::Doctor::Reader::RunningServers
    kind = servers::Kind.new(name: "delayed", worker: /\Adelayed_job\b/, task: /\Ajobs:work\z/)
    process(2, "delayed_job.0")
    process(3, "ruby", "/usr/bin/rake", "jobs:work")
    found = servers.new(proc: @proc, ticks_per_s: 100, kinds: [kind, *servers::KINDS]).call
    assert_equal ["delayed 2", "delayed 3"], found.map { |server| "#{server.name} #{server.pid}" }
  end

  def test_knows_job_runners_that_rake_runs
    process(2, "ruby", "/usr/bin/rake", "-s", "environment", "jobs:work[mails]")
    process(3, "ruby", "bin/rails", "solid_queue:start")
    process(4, "/srv/gems/bin/rake resque:work") # as `bundle exec` titles it
    process(5, "/usr/bin/ruby3.4", "/usr/bin/bundle", "exec", "rake", "app:que:work")
    process(6, "resque-2.6.0: Waiting for *")
    process(7, "delayed_job.0")
    process(8, "ruby", "/usr/bin/shoryuken", "-R")
    expected = ["delayed_job 2", "rake 3", "rake 4", "rake 5", "resque 6", "delayed_job 7", "shoryuken 8"]
    assert_equal expected, names
  end

  def test_leaves_out_tasks_and_what_only_speaks_of_them
    process(2, "ruby", "/usr/bin/rake", "db:migrate")
    process(3, "ruby", "bin/rails", "console")
    process(4, "sh", "-c", "bundle exec rake jobs:work")
    process(5, "grep", "jobs:work")
    process(6, "ruby", "bin/rails", "runner", "Job.new.work")
    assert_empty names
  end

  def test_leaves_out_who_takes_no_units
    process(2, "puma 8.0.2 (tcp://0.0.0.0:3000) [shop]")
    process(3, "puma: cluster worker 0: 2 [shop]", parent: 2)
    process(4, "puma: cluster worker 1: 2 [shop]", parent: 3)
    process(5, "unicorn master -c config/unicorn.rb")
    process(6, "pitchfork monitor - 1 workers")
    process(7, "solid-queue-fork-supervisor(1.7.2): supervising 8")
    process(8, "solid-queue-dispatcher(1.7.2): dispatching")
    process(9, "tail", "-f", "log/puma.log")
    assert_equal ["puma 3", "puma 4"], names
  end

  def test_falcons_workers_have_any_title
    process(2, "ruby", "/usr/bin/falcon", "host")
    process(3, "shop.localhost", parent: 2)
    process(4, "ruby", "/srv/exe/holdup", "collect", parent: 2)
    assert_equal ["falcon 3"], names
  end

  def test_whether_one_measures_and_where
    segment = "7f02-7f03 rw-s 0 00:1c 7 /dev/shm/holdup-0/2-99-2.segment\n"
    process(2, "sidekiq 8.1.7", maps: HOLDUP + segment)
    process(3, "sidekiq 8.1.7", maps: "#{HOLDUP}7f02-7f03 rw-s 0 00:01 7 /memfd:holdup segment (deleted)\n")
    process(4, "sidekiq 8.1.7", maps: HOLDUP)
    process(5, "sidekiq 8.1.7")
    assert_equal [true, true, false, false], found.map(&:measures)
    assert_equal ["/dev/shm/holdup-0", nil, nil, nil], found.map(&:dir)
    assert_equal [true, true, true, false], found.map(&:loaded)
  end

  def test_how_long_it_has_run
    process(2, "sidekiq 8.1.7", started_s: 990)
    assert_in_delta 10, found.first.age_s
  end

  def test_processes_of_others_and_those_that_end_are_left_out
    process(2, "sidekiq 8.1.7")
    assert_empty Holdup::Doctor::Reader::RunningServers.new(proc: @proc, uid: Process.euid + 1).call
    File.delete("#{@proc}/2/maps")
    assert_empty found
    assert_empty Holdup::Doctor::Reader::RunningServers.new(proc: "#{@proc}/none").call
  end
end
