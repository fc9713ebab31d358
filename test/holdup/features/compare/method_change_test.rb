# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::MethodChangeTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  MINUTES = 12
  UNITS = 20
  LATER_S = 7200
  ROWS = "app/models/sales_report.rb:41 SalesReport#rows"
  DRAW = "lib/pdf.rb:7 Pdf#draw"

  # @param methods [Hash{String => #call}] minute => ms that a place caused in each request
  # @param name [String] of the requests
  def side(methods, late: 0, name: "A#a", method_of: name)
    windows = (0...MINUTES).flat_map do |minute|
      start_s = SAMPLE.from_s + late + minute * 60
      found = methods.map do |place, ms|
        SAMPLE.window(method_of, kind: :method, queue: place, start_s:, count: 5,
          sums: {caused_ns: (ms.call(minute) * UNITS * MS).round})
      end
      [unit(name, start_s), *found]
    end
    Holdup::Compare::Side.new(label: "a", windows:, from_s: SAMPLE.from_s + late,
      to_s: SAMPLE.from_s + late + MINUTES * 60)
  end

  def unit(name, start_s)
    times = Holdup::Histogram.of([9 * MS] * UNITS)
    SAMPLE.window(name, start_s:, count: UNITS, histograms: {wall: times, running: times})
  end

  def changes(before, after, **options)
    Holdup::Compare::Comparison.new(side(before), side(after, late: LATER_S, **options)).method_changes
  end

  # Minutes differ by a few percent.
  def around(ms)
    ->(minute) { ms * (1 + 0.05 * Math.sin(minute * 2.4)) }
  end

  def test_twice_as_much_stall_in_each_request
    change = changes({ROWS => around(3)}, {ROWS => around(6)}).first
    assert_equal "SalesReport#rows", change.line.label
    assert_in_delta 6 * MS, change.estimate.after, 0.1 * MS
    assert_in_delta 1.0, change.estimate.relative, 0.01
    assert_operator change.estimate.interval.begin, :>, 0.8
    assert_operator change.estimate.interval.end, :<, 1.2
    assert_equal :worse, change.estimate.verdict
    assert_equal [60, 60], change.samples
  end

  def test_equal_methods_do_not_differ
    assert_equal :none, changes({ROWS => around(3)}, {ROWS => around(3.01)}).first.estimate.verdict
  end

  # Five samples in two of the minutes show nothing.
  def test_a_method_that_is_seen_rarely_has_no_verdict_of_worse
    rarely = ->(minute) { (minute == 3) ? 4 : 0 }
    twice = ->(minute) { [3, 9].include?(minute) ? 4 : 0 }
    assert_equal :none, changes({ROWS => rarely}, {ROWS => twice}).first.estimate.verdict
  end

  def test_methods_of_one_side_are_new_or_gone
    found = changes({ROWS => around(3)}, {DRAW => around(5)})
    assert_equal %w[Pdf#draw SalesReport#rows], found.map { |change| change.line.label }
    assert_equal [[0, 60], [60, 0]], found.map(&:samples)
    assert_equal %i[worse better], found.map { |change| change.estimate.verdict }
  end

  def test_the_line_is_that_of_the_side_after
    moved = ROWS.sub("41", "52")
    assert_equal [52], changes({ROWS => around(3)}, {moved => around(3)}).map { |change| change.line.line }
  end

  def test_requests_that_one_side_lacks_are_left_out
    assert_empty changes({ROWS => around(3)}, {ROWS => around(3)}, name: "B#b")
  end

  def test_threads_outside_of_requests_are_left_out
    assert_empty changes({}, {ROWS => around(3)}, method_of: "main")
  end

  def test_too_few_blocks_have_no_interval
    one = side({ROWS => around(3)}).windows + side({ROWS => around(3)}).method_windows
    few = [0, LATER_S].map do |late|
      windows = one.select { |window| window.start_s < SAMPLE.from_s + 120 }
      Holdup::Compare::Side.new(label: "a", from_s: SAMPLE.from_s + late,
        to_s: SAMPLE.from_s + late + 120,
        windows: windows.map { |window| window.with(start_s: window.start_s + late) })
    end
    assert_nil Holdup::Compare::Comparison.new(*few).method_changes.first.estimate.interval
  end
end
