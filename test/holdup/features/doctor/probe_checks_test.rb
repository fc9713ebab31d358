# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::ProbeChecksTest < Minitest::Test
  include DoctorHost

  CHECKS = Holdup::Doctor::ProbeChecks

  def books(*counters)
    segments = counters.map { |changed| process(counters: COUNTERS.merge(changed)) }
    [Holdup::Doctor::ProbeChecks::StallIdentity.call(host(segments:))].flatten
  end

  def test_a_ruby_without_the_extension
    assert_equal({unsupported: :fail}, troubles(unsupported: "no extension", clock_source: nil))
  end

  def test_books_that_do_not_balance
    off = books({stalled_ns: 8_000_000_000}, {}).first
    assert_equal [:warn, :books_gap, {pids: "7", percent: "20.00"}], [off.level, off.key, off.facts]
    assert_equal({pids: "7", percent: "-25.00"}, books({caused_ns: 3_500_000_000}).first.facts)
  end

  def test_books_that_balance
    assert_equal [[:ok, :books]],
      books({}, {stalled_ns: 10_009_000_000}).map { |finding| [finding.level, finding.key] }
  end

  # What can't be of one tick weighs most where there is little.
  def test_books_of_a_young_process_are_not_judged_by_what_goes_on
    assert_equal [:books],
      books({caused_ns: 20_000_000, handoff_ns: 1_000_000, stalled_ns: 60_000_000}).map(&:key)
  end

  def test_books_of_a_program_that_does_not_sum_up_what_was_caused_are_left
    assert_empty books({caused_ns: 0})
  end

  def test_what_the_setting_tells
    assert_equal({jit_off: :warn}, troubles(segments: [process(setting: {"jit" => "off"})]))
    assert_equal({mn_threads: :warn},
      troubles(segments: [process(setting: {"jit" => "yjit", "mn_threads" => true})]))
    assert_includes findings(segments: [process(setting: {"jit" => "yjit", "fibers" => true})]).map(&:key),
      :fibers
    refute_includes findings.map(&:key), :fibers
  end

  def test_reports_every_anomaly
    counters = Holdup::Doctor::ProbeChecks::Anomalies::COUNTERS.to_h { |name| [name, 2] }
    assert_equal counters.keys, troubles(segments: [process(counters:)]).keys
  end

  def test_says_which_clock_measures
    clocks = %w[counter monotonic].map { |clock_source| CHECKS::ClockSource.call(host(clock_source:)).key }
    assert_equal %i[clock_counter clock_monotonic], clocks
  end

  def test_says_nothing_of_anomalies_where_nothing_has_measured
    assert_empty CHECKS::Anomalies.call(host(segments: []))
    assert_equal :no_anomalies, CHECKS::Anomalies.call(host).key
  end
end
