# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/futures"

# What it makes of a block; the real library is in test/integration/futures_test.rb.
class Holdup::Instrumentation::FuturesTest < Minitest::Test
  NOW_NS = 1_700_000_000_500_000_000

  class Rates
    def self.load = proc { |zone, parts| [zone, parts] }

    def refresh = proc { :fresh }

    def boxed = proc { Rates.load.call(1, 2) }
  end

  SpecialRates = Class.new(Rates)

  def setup
    @probe = RecordingProbe.new
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    @clock = HandClock.new(realtime_ns: NOW_NS)
    recorder = Holdup::Recorder.new(probe: @probe, guard:)
    jobs = Holdup::Instrumentation::JobUnits.new(recorder:, clock: @clock)
    @futures = Holdup::Instrumentation::Futures.new(-> { jobs }, guard:)
  end

  def name_of(block) = Holdup::Instrumentation::BlockName.new(block).to_s

  def test_a_block_is_a_job_that_waits_until_it_runs
    task = @futures.task(Rates.new.refresh)
    @clock.realtime_ns += 2_000
    assert_equal :fresh, task.call
    unit = @probe.recorded.last
    assert_equal ["#{Rates.name}#refresh (future)", 2_000, "futures", false],
      [unit.name, unit.queued_ns, unit.pool, unit.error]
  end

  def test_arguments_arrive_as_they_would
    assert_equal [1, 2], @futures.task(Rates.load).call(1, 2)
    assert_equal [[1, 2], nil], @futures.task(proc { |pair, none| [pair, none] }).call([[1, 2]])
  end

  def test_an_exception_passes_and_is_a_failure
    task = @futures.task(proc { raise IOError, "gone" })
    assert_raises(IOError) { task.call }
    assert @probe.recorded.last.error
  end

  def test_what_is_not_the_applications_stays_as_it_is
    library = Gem.loaded_specs.fetch("minitest").full_gem_path
    foreign = eval("proc {}", nil, "#{library}/lib/minitest.rb", 1) # rubocop:disable Style/EvalWithLocation
    wrapped = @futures.task(Rates.load)
    [foreign, :upcase.to_proc, Object.new, nil, wrapped].each { |task| assert_same task, @futures.task(task) }
    assert_empty @probe.recorded
  end

  def test_names_are_the_methods_that_blocks_are_written_in
    assert_equal "#{Rates.name}.load (future)", name_of(Rates.load)
    assert_equal "#{Rates.name}#boxed (future)", name_of(SpecialRates.new.boxed)
  end

  def test_a_method_and_a_block_outside_of_methods_have_the_name_of_their_file
    assert_equal "futures_test.rb (future)", name_of(Rates.new.method(:refresh).to_proc)
    assert_equal "futures_test.rb (future)", name_of(BLOCK)
  end

  BLOCK = proc {}
end
