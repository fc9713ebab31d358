# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::Pools::ConnectionTableTest < Minitest::Test
  MS = 1_000_000
  SETTING = {"db_pool" => 2}.freeze
  IDLE = [0,
    60].map { |at| {host: "h", pid: 1, at_s: SampleWindows::START_S + at, connections_kept_ns: 0} }.freeze

  # name => milliseconds per unit: elapsed, waited, kept
  def windows(units)
    sample = SampleWindows.new(setting: SETTING)
    units.map do |name, (wall, wait, held)|
      sums = {sleep_ns: wait * 300 * MS, io_ns: (wall - wait) * 300 * MS, pool_wait_ns: wait * 300 * MS,
              pool_held_ns: held * 300 * MS}
      sample.window(name, count: 300, sums:, histograms: {wall: Holdup::Histogram.of([wall * MS] * 300)})
    end
  end

  def summary(units = {"Slow#show" => [100, 0, 95], "Quick#show" => [50, 40, 5]}, samples: IDLE, **options)
    Holdup::Analysis::Summary.new(windows(units), samples:, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 60, **options)
  end

  def section(summary = self.summary, language: "en", limit: 10)
    Holdup::Report::Sections::Pools::ConnectionTable.new(summary, words: Holdup::View::Words.new(language),
      limit:).call
  end

  def test_the_holder_first_then_who_waits
    slow = ["Slow#show", "0", "0", "95.0 ms", "95.0"]
    quick = ["Quick#show", "40.0 ms", "80.0", "5.00 ms", "5.0"]
    assert_equal [slow, quick], section.rows
    assert_equal ["all", "20.0 ms", "26.7", "50.0 ms", "100"], section.total
    assert_includes section.notes, "The pool has 2 connections in each process."
  end

  def test_the_pools
    sample = {host: "h", pid: 1, name: "worker 0", server: "puma", at_s: SampleWindows::START_S,
              "pool.0": "db primary", "pool.0.max": 2, "pool.0.busy": 2, "pool.0.backlog": 3}
    assert_includes section(summary(samples: [sample])).notes,
      "Pool primary: 2 connections in each process; " \
      "on average 2 were in use and 0.20 requests or jobs waited for one (at most 3 threads, " \
      "sampled once a minute)."
  end

  def test_pools_of_processes_with_other_settings_have_each_size
    samples = [4, 6].map do |size|
      {host: "h", pid: size, name: "worker 0", server: "puma", at_s: SampleWindows::START_S,
       "pool.0": "db primary", "pool.0.max": size, "pool.0.busy": 2, "pool.0.backlog": 1,
       "pool.1": "db animals", "pool.1.max": 1, "pool.1.busy": 0.04, "pool.1.backlog": 0}
    end
    notes = section(summary(samples:)).notes
    assert_equal 1, notes.grep(%r{Pool primary: 4/6 connections in each process; on average 2 were}).size
    assert_equal 1, notes.grep(/Pool animals: 1 connection in each process; on average 0\.04 were/).size
  end

  def test_threads_outside_of_units
    samples = [IDLE.first, IDLE.last.merge(connections_kept_ns: 300_000 * MS)]
    assert_equal ["(other threads)", "", "", "", "90.9"], section(summary(samples:)).rows.last
  end

  def test_what_is_not_known_yet_is_said
    assert_empty section.notes.grep(/not known yet/)
    assert_equal 1, section(summary(samples: [])).notes.grep(/not known yet/).size
  end

  def test_only_when_somebody_waited
    assert_nil section(summary({"A" => [50, 0, 40]}))
  end

  def test_rows_that_have_nothing_to_do_with_it_are_left_out_and_those_beyond_the_limit_counted
    units = {"A" => [50, 20, 30], "B" => [50, 10, 20], "None" => [90, 0, 0]}
    assert_equal [["A"], "... and 1 more (--limit)"],
      [section(summary(units), limit: 1).rows.map(&:first), section(summary(units), limit: 1).notes.first]
  end

  def test_the_report_says_it_in_one_sentence_and_fits
    text = Holdup::View::Text.new(Holdup::Report::FullReport.new(summary).page, width: 80).call
    sentence = "spent 26.7 % of their time waiting for a database connection. The pool has 2, " \
      "and Slow#show kept them for 95.0 % of the time that they were in use."
    assert_includes text.tr("\n", " ").squeeze(" "), sentence
    assert_empty text.lines.select { |line| line.chomp.size > 80 }
    words = Holdup::View::Words.new("ja")
    japanese = Holdup::View::Text.new(Holdup::Report::FullReport.new(summary, words:).page).call
    assert_includes japanese, "データベース接続"
  end

  def test_the_json_has_the_sums
    orders = JSON.parse(Holdup::View::Json.new(summary).call)
    assert_equal "connections_kept", orders["verdict"]["key"]
    assert_equal [300 * 40 * MS, 300 * 100 * MS], orders["totals"].values_at("pool_wait_ns", "pool_held_ns")
  end
end
