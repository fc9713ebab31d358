# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::SectionsTest < Minitest::Test
  MS = 1_000_000
  # Seconds since the boot => how long a unit runs then.
  AGES = {300 => 8, 1800 => 4}.freeze
  UNITS = 120

  def test_units_by_the_age_of_their_process
    times = /\S+ ms +\S+ ms +\S+ ms +\S+ ms/
    assert_match(
      /^By the age of the process\n.*\n2 min - 10 min +120 +120 +#{times}\n10 min - 1 h +120 +120 /, text
    )
    assert_equal [2, 2],
      row("2 min - 10 min").zip(row("10 min - 1 h")).map { |young, old| (young / old).round }.first(2)
  end

  # @return [Array<Float>] p50 before and after, p95 before and after
  def row(age)
    text[/^#{age}.*/].scan(/([\d.]+) ms/).map { |found| found.first.to_f }
  end

  def test_an_age_that_one_side_never_had_is_left_out
    refute_match(/By the age/, text(ages: AGES.first(1).to_h))
  end

  # Two minutes of six; units take four times as long then.
  def test_what_is_left_out_because_processes_had_just_begun
    beginning = /^Left out: the first two minutes of processes\nside +count +share +p50 +p95 +p50 then +p95 /
    ending = /then$/
    assert_match(/#{beginning}#{ending}/, text(samples: samples))
    figures = text(samples: samples)[/^before +24 .*/].scan(/[\d.]+/).map(&:to_f)
    assert_equal [33.3, 4, 4], [figures[1], (figures[2] / figures[4]).round, (figures[3] / figures[5]).round]
    refute_match(/Left out: the first/, text)
  end

  def test_a_queue_time_that_is_unknown_is_said
    assert_match(/The queue time is unknown \(before, after\)/,
      text.gsub(/\s+/, " "))
  end

  private

  def text(ages: AGES, samples: [])
    sides = [side("a", AGES, samples), side("b", ages, [])]
    Holdup::View::Text.new(
      Holdup::Compare::Report.new(Holdup::Compare::Comparison.new(*sides, rounds: 20)).page, width: 100
    ).call
  end

  def side(label, ages, samples)
    Holdup::Compare::Side.new(label:, windows:, unit_samples: unit_samples(ages), samples:,
      from_s: ExampleUnits::START_S, to_s: ExampleUnits::START_S + 360)
  end

  # The first two minutes are slow.
  def windows
    Array.new(6) do |minute|
      empty = Holdup::Window.empty(series: ExampleUnits.unit_sample.series, setting: ExampleUnits::SETTING,
        host: "a", start_s: ExampleUnits::START_S + minute * 60, seconds: 60)
      empty.with(count: 12,
        histograms: empty.histograms.merge(wall: Holdup::Histogram.of([((minute < 2) ? 40 : 10) * MS] * 12)))
    end
  end

  def unit_samples(ages)
    ages.flat_map do |age_s, running_ms|
      since_ns = (ExampleUnits::START_S - age_s) * 1_000_000_000
      process = Holdup::UnitSample::SampledProcess.new(pid: age_s, since_ns:)
      Array.new(UNITS) do |index|
        ExampleUnits.unit_sample(index, process:, running_ns: running_ms * MS, idle_ns: 0, stalled_ns: 0)
      end
    end
  end

  # Ten processes that began when the recording did.
  def samples
    (0..6).flat_map do |minute|
      (1..10).map { |pid|
        {at_s: ExampleUnits::START_S + minute * 60,
         since_s: ExampleUnits::START_S,
         host: "a",
         pid:,
         start: pid,
         setting: ExampleUnits::SETTING.fingerprint}
      }
    end
  end
end
