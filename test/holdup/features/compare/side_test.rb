# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

class Holdup::Compare::SideTest < Minitest::Test
  START_S = SampleWindows::START_S
  NS = 1_000_000_000
  OTHER = Holdup::Setting.new(attributes: SampleWindows::SETTING.merge("threads" => 3))

  # The process began with the recording: its first two minutes are left out.
  def test_the_first_minutes_of_processes_are_left_out
    side = side(minutes: 4, born_s: START_S)
    assert_predicate side, :warmed?
    assert_equal [START_S + 120, START_S + 180], side.windows.map(&:start_s)
    assert_equal [20, 20], [side.units, side.cold_units]
  end

  # There would be nothing left to compare.
  def test_everything_counts_where_all_is_young
    side = side(minutes: 2, born_s: START_S)
    refute_predicate side, :warmed?
    assert_equal [20, 0], [side.units, side.cold_units]
  end

  def test_times_after_and_in_the_first_minutes
    side = side(minutes: 3, born_s: START_S)
    assert_equal [10, 20], [side.times, side.cold_times].map { |times| times.fetch(:wall).count }
  end

  # Remains of a deployment.
  def test_settings_with_few_requests_are_counted_but_not_named
    windows = [window(0, count: 995), window(0, count: 5, setting: OTHER)]
    side = Holdup::Compare::Side.new(label: "x", windows:, from_s: START_S, to_s: START_S + 60)
    assert_equal [5], side.settings.map { |setting| setting["threads"] }
    assert_equal 1000, side.units
    assert_equal [995, 5], side.counts.map(&:last)
  end

  def test_settings_with_most_requests_come_first
    windows = [window(0, count: 10), window(0, count: 40, setting: OTHER), window(60, count: 5)]
    side = Holdup::Compare::Side.new(label: "x", windows:, from_s: START_S, to_s: START_S + 120)
    assert_equal [3, 5], side.settings.map { |setting| setting["threads"] }
  end

  def test_what_is_not_asked_about_is_beside_it
    windows = [window(0, count: 10), window(0, count: 7, kind: :job), window(0, kind: :account, name: "main")]
    side = Holdup::Compare::Side.new(label: "x", windows:, from_s: START_S, to_s: START_S + 60)
    assert_equal 10, side.units
    assert_equal %i[job account], side.other_windows.map { |window| window.series.kind }
  end

  def test_processes_are_known_from_samples_and_single_requests
    side = side(minutes: 2, born_s: START_S - 9000, unit_samples: [ExampleUnits.unit_sample(setting:)])
    assert_equal 2, side.processes
    assert_predicate side, :boots_known?
    refute_predicate side(minutes: 2), :boots_known?
  end

  def test_whether_queue_times_are_known
    queued = window(0, count: 1, histograms: {queued: Holdup::Histogram.of([5_000])})
    sides = [[window(0, count: 1)], [queued]].map do |windows|
      Holdup::Compare::Side.new(label: "x", windows:, from_s: START_S, to_s: START_S + 60)
    end
    assert_equal [false, true], sides.map(&:queued?)
  end

  # A name leaves out some requests of its processes.
  def test_a_name_is_narrow_and_a_kind_is_not
    filters = [{kind: :request}, {kind: :request, name: "A*"}, {kind: :job, queue: "mail"}]
    found = filters.map do |filter|
      Holdup::Compare::Side.new(label: "x", windows: [], from_s: 0, to_s: 60,
        filter: Holdup::Analysis::UnitFilter.new(**filter)).narrow?
    end
    assert_equal [false, true, true], found
  end

  private

  def setting = SampleWindows.new.window("A").setting

  def window(offset_s, count: 10, name: "A", **facts)
    SampleWindows.new.window(name, start_s: START_S + offset_s, count:, **facts)
  end

  def side(minutes:, born_s: nil, **rest)
    wall = Holdup::Histogram.of([5_000_000] * 10)
    windows = Array.new(minutes) { |minute| window(minute * 60, histograms: {wall:}) }
    to_s = START_S + minutes * 60
    samples = [{host: "web-1", pid: 7, since_s: born_s, at_s: to_s, setting: setting.fingerprint}]
    Holdup::Compare::Side.new(label: "x", windows:, from_s: START_S, to_s:, samples: born_s ? samples : [],
      **rest)
  end
end
