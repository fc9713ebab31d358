# frozen_string_literal: true

require "test_helper"
require "holdup"
require "holdup/loader"
require "open3"

# Workers killed by SIGKILL under load (200 in the nightly run), with a collector running beside them: every
# finished unit is in the store exactly once. Each thread of a worker counts, in memory that survives it, the
# units it has begun and finished; a unit that the kill caught in between may be there or not.
class WorkerKillTest < Minitest::Test
  include CommandLine

  ROUNDS = Thorough.turns(5, thorough: 15, nightly: 50)
  WORKERS = 4
  THREADS = 3
  WORD = 8
  # What is in the application needs no gem, and without them a Ruby is there six times as fast.
  BARE = [RbConfig.ruby, "--disable=gems", "-W0", "-I#{File.expand_path("../../lib", __dir__)}"].freeze

  repeated_everywhere def test_every_finished_unit_is_counted_exactly_once
    Dir.mktmpdir("holdup", "/dev/shm") do |folder|
      @folder = folder
      collector = Process.spawn(environment, *collect, "--interval", "0.2", err: File::NULL)
      tallies = ROUNDS.times.flat_map { |round| kill_round(Random.new(round)) }
      Process.kill(:TERM, collector)
      Process.wait(collector)
      wait_until {
        system(environment, *collect, "--once",
          exception: true) && Dir.glob("#{@folder}/segments/*.segment").empty?
      }
      assert_all_counted tallies
    end
  end

  private

  def environment
    OWN_LOAD_PATH.merge(
      "HOLDUP_DIR" => "#{@folder}/segments",
      "HOLDUP_STORE" => "sqlite://#{@folder}/store.sqlite3",
      "HOLDUP_COLLECTOR" => "off",
      "HOLDUP_LOG" => "off"
    )
  end

  def collect = [RbConfig.ruby, EXE, "collect"]

  # @return [Array<Array(Integer, Integer)>] units begun and finished, for each thread that was killed
  def kill_round(random)
    workers = Array.new(WORKERS) { |index| worker(index) }
    workers.each { |pid, file| wait_until { counts(file).all? { |_, finished| finished > 3 } || gone(pid) } }
    IO.select(nil, nil, nil, random.rand(0.0..0.02))
    workers.shuffle(random: random).each { |pid, _| Process.kill(:KILL, pid) }
    workers.each { |pid, _| Process.wait(pid) }
    workers.flat_map { |_, file| counts(file) }
  end

  def gone(pid)
    Process.wait(pid, Process::WNOHANG) && flunk("worker #{pid} ended by itself")
  end

  def worker(index)
    file = File.join(@folder, "counts-#{index}")
    File.binwrite(file, "\0" * (2 * THREADS * WORD))
    [Process.spawn(environment.merge("RUBYLIB" => nil), *BARE, "-e", SCRIPT, file), file]
  end

  SCRIPT = <<~RUBY
    require "holdup"
    Holdup.start or abort "not started"
    file = File.open(ARGV[0], "r+b")
    threads = Array.new(#{THREADS}) do |i|
      Thread.new do
        (1..).each do |n|
          file.pwrite([n].pack("Q<"), 16 * i)
          Holdup.measure("unit \#{n % 30}", queue: "q") { sleep(0.0002) if (n % 7).zero? }
          file.pwrite([n].pack("Q<"), 16 * i + 8)
        end
      end
    end
    threads.each(&:join)
  RUBY

  def counts(file)
    File.binread(file).unpack("Q<*").each_slice(2).to_a
  end

  def assert_all_counted(tallies)
    begun = tallies.sum(&:first)
    finished = tallies.sum(&:last)
    windows = Holdup::Store.open(environment["HOLDUP_STORE"]).windows(0, Time.now.to_i + 120,
      kinds: [:job]).to_a
    counted = windows.sum(&:count)
    assert_operator counted, :>=, finished
    assert_operator counted, :<=, begun
    windows.each { |window| assert_whole window }
  end

  # No histogram has more or fewer values than the series has units.
  def assert_whole(window)
    %i[wall running stalled idle longest_hold].each do |name|
      histogram = window.histograms.fetch(name)
      assert_equal window.count, histogram.count, "#{name} of #{window.series}"
      assert_equal histogram.count, histogram.zero + histogram.counts.sum, "buckets of #{name}"
    end
    wall, running, stalled, idle = %i[wall running stalled idle].map { |name|
      window.histograms.fetch(name).sum
    }
    assert_equal wall, running + stalled + idle
  end
end
