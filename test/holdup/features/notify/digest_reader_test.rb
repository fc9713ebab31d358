# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::DigestReaderTest < Minitest::Test
  include TemporaryFolder

  WEEK_S = 7 * 86_400
  NOW_S = SampleWindows::START_S + 180

  # @param weeks [Array<Integer>] how many weeks ago three minutes were recorded
  # @return [Holdup::Notify::WeekFacts, nil]
  def read(*weeks, notices: [])
    store = Holdup::Store.open(File.join(folder, "a.sqlite3"))
    windows = weeks.flat_map do |ago|
      sample = SampleWindows.new(setting: SampleWindows::SETTING.merge("revision" => "r#{ago}"))
      sample.stored.map { |one| one.with(start_s: one.start_s - ago * WEEK_S) }
    end
    store.commit(windows, {}, notices:)
    Holdup::Notify::DigestReader.new(store, configuration: Holdup::Configuration.build,
      words: Holdup::View::Words.new("en"), now_s: NOW_S).call
  ensure
    store&.close
  end

  def test_reads_the_week_and_the_one_before
    week = read(0, 1, 2)
    assert_equal [2220, 2220], [week.before, week.after].map { |summary| summary.total.count }
    assert_equal [:request], week.comparisons.keys
  end

  def test_knows_what_changed_since_the_week_before
    assert_equal [["revision r1 -> r0"]], read(0, 1).changes.map { |change| change.differences.map(&:to_s) }
  end

  def test_the_first_week_is_compared_with_nothing
    week = read(0)
    assert_nil week.before
    assert_empty week.comparisons
  end

  def test_is_nothing_where_nothing_ran
    assert_nil read(1)
    assert_nil read
  end

  def test_has_what_was_told_but_no_digest
    notices = [["stall", :began, 60], ["stall", :over, 50], ["verdict", :noted, 40], ["digest", :began, 30],
      ["deaths", :began, 2 * WEEK_S]].map do |rule, state, ago_s|
      Holdup::Notice.new(source: "#{rule} #{ago_s}", rule:, state:, at_s: NOW_S - ago_s, by: "web-1")
    end
    assert_equal %w[stall], read(0, notices:).notices.map(&:rule)
  end
end
