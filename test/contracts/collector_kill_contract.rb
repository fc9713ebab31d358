# frozen_string_literal: true

require "tmpdir"
require "holdup/loader"

# Collectors and writers are killed at random, with real processes and a real store: every unit that a writer
# finished, and each change of a live setting, is in the store exactly once. Include it and define
# `store_url`; `@dir` is a folder.
module CollectorKillContract
  def self.included(test)
    test.include(Collecting)
    test.repeated_everywhere(:test_nothing_is_lost_or_counted_twice) if test.is_a?(Class)
  end

  KILLS = Integer(ENV.fetch("HOLDUP_TEST_KILLS", Thorough.turns(10, thorough: 30, nightly: 100)))
  # One leads; the more stand by, the sooner one of them sees that it is gone.
  COLLECTORS = 8

  def setup
    @dir = Dir.mktmpdir("holdup-kill", (File.writable?("/dev/shm") ? "/dev/shm" : nil))
    @segments = File.join(@dir, "segments")
    @store = store_url
    @random = Random.new(Minitest.seed)
    @pipes = {}
  end

  def teardown
    end_all
    FileUtils.rm_rf(@dir) if @dir
  end

  def test_nothing_is_lost_or_counted_twice
    2.times { start_writer }
    # Before each change a writer has finished a request.
    wait_until { written_changes > [kills, 10].min }
    @collectors = Array.new(collectors) { fork_collector(@segments, @store) }
    kills.times do |number|
      kill_leader
      replace_writer if (number % turns_of_a_writer).zero?
    end
    @collectors.each { |pid| end_process(pid, :KILL) }
    sure, most = end_writers
    collect_the_rest
    assert_operator sure, :>, kills, "the writers had work"
    assert_includes sure..most, counted
    assert_equal recorded_by_segments, counted
    assert_equal counted, wall_values
    assert_equal counted, sampled
    refute_empty slowest
    assert_equal slowest.uniq, slowest
    assert_operator written_changes, :>, 0
    assert_equal written_changes, stored_changes.size
    assert_equal stored_changes.map(&:source).uniq.size, stored_changes.size
    assert_empty Dir["#{@segments}/*.segment"]
  end

  private

  def kills = KILLS

  def collectors = COLLECTORS

  # A writer is killed ten times.
  def turns_of_a_writer = [kills / 10, 1].max

  # Anywhere in the life of a collector that leads: while it reads, commits, removes or waits.
  def kill_leader
    lock = "#{@segments}/collector.lock"
    leader = wait_until(every: 0.002) {
      File.exist?(lock) && @collectors.find { |pid| File.read(lock).to_i == pid }
    }
    IO.select(nil, nil, nil, @random.rand(0.1))
    end_process(leader, :KILL)
    @collectors.delete(leader)
    @collectors << fork_collector(@segments, @store)
  end

  # Each dot is a unit that was recorded; a killed writer may have recorded one more than it could tell.
  def start_writer
    reader, writer = IO.pipe
    @pipes[spawn_writer(@segments, @random.rand(1 << 30), out: writer)] = reader
    writer.close
  end

  def replace_writer
    end_process((started & @pipes.keys).first, @random.rand(2).zero? ? :KILL : :TERM)
    start_writer
  end

  def end_writers
    (started & @pipes.keys).each { |pid| end_process(pid, :KILL) }
    sure = @pipes.each_value.sum { |pipe| pipe.read.size }
    [sure, sure + @pipes.size]
  end

  def collect_the_rest
    pid = fork_collector(@segments, @store)
    wait_until { Dir["#{@segments}/*.segment"].empty? }
    end_process(pid, :TERM)
  end

  def requests
    store = Holdup::Store.open(@store, read_only: true)
    store.windows(0, 1 << 40, kinds: [:request]).to_a
  ensure
    store&.close
  end

  # What the samples of single units were drawn from; of each ten minutes there are as many as there may be.
  def sampled
    store = Holdup::Store.open(@store, read_only: true)
    store.unit_samples(0, 1 << 40).sum(&:weight).round
  ensure
    store&.close
  end

  # Process and start of each.
  def slowest
    @slowest ||= begin
      store = Holdup::Store.open(@store, read_only: true)
      units = store.slowest_units(0, 1 << 40, most: 1 << 20).map(&:unit)
      units.map { |unit| [unit.process, unit.start_ns, unit.wall_ns] }
    ensure
      store&.close
    end
  end

  def written_changes
    Holdup::AuditEntry::AuditFiles.new(@segments).paths.sum { |path| File.readlines(path).size }
  end

  def stored_changes
    store = Holdup::Store.open(@store, read_only: true)
    @stored_changes ||= store.audit_entries(0, 1 << 40)
  ensure
    store&.close
  end

  def counted = requests.sum(&:count)

  # The processes' own windows are made of the same units by another way.
  def recorded_by_segments
    store = Holdup::Store.open(@store, read_only: true)
    store.windows(0, 1 << 40, kinds: [:process]).sum(&:count)
  ensure
    store&.close
  end

  def wall_values
    requests.sum { |window| window.histograms[:wall].then { |wall| wall.zero + wall.counts.sum } }
  end
end

# The same with a store in a server, where each kill takes longer. Include it and define `new_url`.
module ServerKillContract
  include CollectorKillContract

  def self.included(test) = CollectorKillContract.included(test)

  def store_url = new_url.tap { |url| Holdup::Store.open(url).tap(&:migrate!).close }

  private

  def kills = Thorough.turns(3, thorough: 10, nightly: 30)

  def collectors = 3
end
