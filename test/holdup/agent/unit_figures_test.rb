# frozen_string_literal: true

require "test_helper"
require "holdup/agent/recorder"

# With the real probe: test/native/unit/figures_methods_test.rb
class Holdup::UnitFiguresTest < Minitest::Test
  # A probe that says what was measured.
  class SayingProbe < RecordingProbe
    attr_accessor :numbers, :waits, :made

    def figures(_handle) = numbers

    def waits_so_far(_handle) = waits

    def calls_so_far(_handle) = made
  end

  def setup
    @probe = SayingProbe.new
    @probe.numbers = numbers(wall_ns: 2_500_000_000, running_ns: 1_000_000_000, stalled_ns: 1_500_000_000)
    @recorder = Holdup::Recorder.new(probe: @probe,
      guard: Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new))
  end

  def numbers(**given)
    Holdup::Measurement.members.map { |name| (name == :queued_ns) ? nil : given.fetch(name, 0) }
  end

  def measured
    @recorder.measure("Report", kind: :request) { yield Holdup::Recorder::OpenUnit.current.measured }
  end

  def test_seconds_and_nanoseconds
    measured do |figures|
      assert_equal [2.5, 2_500_000_000], [figures.elapsed, figures.elapsed_ns]
      assert_equal [1.5, 1_500_000_000], [figures.stalled, figures.stalled_ns]
      assert_nil figures.queued
    end
  end

  def test_every_time_is_read_from_its_number
    times = %i[elapsed running cpu starved stalled idle io lock sleep native gc longest_hold]
    members = times.map { |name| (name == :elapsed) ? :wall_ns : :"#{name}_ns" }
    @probe.numbers = numbers(**members.each_with_index.to_h { |member, index| [member, (index + 1) * 1_000] })
    measured do |figures|
      times.each_with_index do |name, index|
        assert_equal (index + 1) * 1_000, figures.public_send(:"#{name}_ns"), name
        assert_in_delta (index + 1) * 1e-6, figures.public_send(name), 1e-12, name
        assert_equal (index + 1) * 1_000, figures.to_h.fetch(:"#{name}_ns"), name
      end
    end
  end

  def test_knows_what_runs
    measured do |figures|
      assert_equal [:request, "Report"], [figures.kind, figures.name]
      Holdup::Recorder::OpenUnit.current.name = "Renamed"
      assert_equal "Renamed", figures.name
    end
  end

  def test_all_is_nil_where_nothing_is_known
    @probe.numbers = nil
    measured do |figures|
      assert_nil figures.elapsed
      assert_nil figures.objects
      assert_equal [:request, "Report"], figures.to_h.compact.values
    end
  end

  def test_objects_of_others_are_taken_off
    @probe.numbers = numbers(objects: 900, objects_own_ns: 2_000, objects_others_ns: 1_000)
    measured { |figures| assert_equal 600, figures.objects }
  end

  def test_objects_are_exact_where_no_other_thread_ran
    @probe.numbers = numbers(objects: 901, objects_own_ns: 2_000)
    measured { |figures| assert_equal 901, figures.objects }
  end

  def test_waits_of_one_name_are_one_and_the_longest_is_first
    @probe.waits = [["Report", 10**9], [nil, 500_000_000], ["main", 2 * 10**9], ["Report", 3 * 10**9]]
    measured { |figures| assert_equal [["Report", 4.0], ["main", 2.0], [nil, 0.5]], figures.waited_for }
  end

  def test_a_holder_that_runs_has_the_name_that_is_known_by_now
    measured do |figures|
      inner = Holdup::Recorder::OpenUnit.new(@recorder, 2, "before")
      assert_nil @recorder.holder_name(7)
      inner.open
      @probe.waits = [[inner.handle, 10**9]]
      assert_equal [["before", 1.0]], figures.waited_for
      inner.close
      assert_equal [["before", 1.0]], figures.waited_for, "it has ended"
    end
  end

  def test_calls_by_name
    @probe.made = [["sql primary", 3, 2_000_000_000, 1_000_000_000]]
    measured do |figures|
      assert_equal({"sql primary" => {count: 3, elapsed: 2.0, remote: 1.0}}, figures.calls)
    end
  end

  def test_there_are_none_without_a_probe
    @probe.disable
    figures = @recorder.measure("Report") { Holdup::Recorder::OpenUnit.current&.measured }
    assert_nil figures
  end

  def test_what_was_left_out_is_frozen_and_unknown
    figures = nil
    measured { |given| figures = given }
    assert_predicate figures, :frozen?
    assert_nil figures.elapsed
    assert_equal "Report", figures.name
  end
end
