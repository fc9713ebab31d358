# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::RunningServersTest < Minitest::Test
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
    Holdup::Doctor::RunningServers.new(proc: @proc, ticks_per_s: 100).call
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
    assert_equal ["falcon 3", "falcon 4", "good_job 2"], names
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
    assert_empty Holdup::Doctor::RunningServers.new(proc: @proc, uid: Process.euid + 1).call
    File.delete("#{@proc}/2/maps")
    assert_empty found
    assert_empty Holdup::Doctor::RunningServers.new(proc: "#{@proc}/none").call
  end
end
