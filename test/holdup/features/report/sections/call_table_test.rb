# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::CallTableTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  ORDERS = "OrdersController#index"

  # For each of 300 requests: calls, and ms of all of them together in each part.
  def calls(queue, name: ORDERS, each: 12, elapsed: 8.1, remote: 3.9, stalled: 3.4, gc: 0.3)
    count = 300 * each
    total = ->(ms) { (ms * 300 * MS).round }
    of = ->(ms) { Holdup::Histogram.of([(ms * MS / each).round] * count) }
    histograms = {wall: of.call(elapsed), idle: of.call(remote),
                  running: Holdup::Histogram.of_sum(total.call(elapsed - remote - stalled)),
                  stalled: Holdup::Histogram.of_sum(total.call(stalled))}
    SAMPLE.window(name, kind: :call, queue:, count:, histograms:,
      sums: {gc_ns: total.call(gc), io_ns: total.call(remote)})
  end

  def summary(*calls, **options)
    Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s,
      calls:, pairs: SAMPLE.pairs, **options)
  end

  def section(*calls, language: "en", limit: 10, **options)
    words = Holdup::View::Words.new(language)
    Holdup::Report::Sections::CallTable.new(summary(*calls, **options), words:, limit:).call
  end

  def test_nothing_without_calls
    assert_nil section
    assert_nil section(calls("sql primary"), by: :queue)
  end

  def test_a_row_for_each_kind_of_call_and_the_other_io
    redis = calls("redis r1:6379/0", each: 2, elapsed: 1, remote: 0.8, stalled: 0, gc: 0)
    found = section(calls("sql primary"), redis)
    assert_equal ["#{ORDERS}: SQL primary", "12", "8.10 ms", "3.90 ms", "3.40 ms", "300 us", "500 us"],
      found.rows.first
    assert_equal ["SQL primary", "Redis r1:6379/0", "(io of no call)"].map { |call| "#{ORDERS}: #{call}" },
      found.rows.map(&:first)
  end

  def test_the_sentence
    assert_includes section(calls("sql primary")).notes,
      "#{ORDERS}, SQL primary: 12 calls, 8.10 ms seen by Ruby, of which the database 3.90 ms, " \
      "waiting for the GVL 3.40 ms, GC 300 us, Active Record 500 us."
    assert_includes section(calls("sql primary"), language: "ja").notes,
      "#{ORDERS} の SQL primary：12 回で、Ruby から見ると 8.10 ms。内訳は、データベース 3.90 ms、" \
      "GVL 待ち 3.40 ms、GC 300 us、Active Record 500 us。"
  end

  def test_a_database_inside_the_process_has_no_time_of_its_own
    sqlite = calls("sql primary", remote: 0.05)
    assert_includes section(sqlite).notes,
      "#{ORDERS}, SQL primary: 12 calls, 8.10 ms in all. Nothing waits for an answer, because the database " \
      "works inside this process: waiting for the GVL 3.40 ms, GC 300 us, Active Record and the database " \
      "together 4.35 ms."
    assert_match(/データベースはこのプロセスの中で動くため、応答待ちはありません。.*Active Record とデータベース 4\.35 ms。/,
      section(sqlite, language: "ja").notes.join("\n"))
  end

  def test_where_the_seen_time_misleads_says_nothing_of_a_database_inside_the_process
    slow = calls("sql primary", each: 1, elapsed: 40, remote: 0, stalled: 30)
    note = section(slow).notes.grep(/other tools show/).first
    assert_match(/a p95 of 40\.. ms\. 7\d % of the time of these calls is the wait for the GVL, caused/, note)
  end

  def main_call(*calls, language: "en")
    found = summary(*calls)
    row = found.rows.find { |one| one.name == ORDERS }
    words = Holdup::View::Words.new(language)
    Holdup::Report::Sections::CallTable.new(found, words:, limit: 3).main_call(row)
  end

  def test_the_calls_in_which_a_victim_stalls
    redis = calls("redis r1:6379/0", each: 2, elapsed: 6, remote: 0.8, stalled: 5)
    sql = calls("sql primary", elapsed: 50, remote: 6, stalled: 40)
    assert_match(/\A6\d % of it in 12 calls \(SQL primary\): 50\.0 ms, remote 6\.00 ms\z/,
      main_call(redis, sql))
    assert_match(/\A6\d % は SQL primary の呼び出し 12 回：計 50\.0 ms、応答待ち 6\.00 ms\z/,
      main_call(redis, sql, language: "ja"))
    assert_nil main_call(redis)
    assert_nil main_call
  end

  def test_says_where_the_seen_time_misleads
    slow = calls("sql primary", each: 1, elapsed: 40, remote: 6, stalled: 30)
    %w[en ja].each do |language|
      note = section(slow, language:).notes.find { |text| text.include?("ReportsController#sales") }
      assert_match(/\A#{ORDERS}.*40\.. ms.*6\.0. ms.*88 %/o, note)
    end
    assert_empty section(calls("sql primary", each: 1, elapsed: 8, remote: 7.5, stalled: 0.1, gc: 0)).notes
      .grep(/other tools show a p95/)
  end

  def test_says_where_many_calls_together_mislead
    often = calls("sql primary", each: 100, elapsed: 45, remote: 28, stalled: 15)
    assert_includes section(often).notes,
      "#{ORDERS}, SQL primary: other tools show 45.0 ms in each request or job; the database takes 28.0 ms " \
      "of it. 88 % of the rest is the wait for the GVL, caused most by ReportsController#sales."
    assert_includes section(often, language: "ja").notes,
      "#{ORDERS} の SQL primary：ほかのツールが示す 1 件あたりの合計は 45.0 ms ですが、データベースの分は 28.0 ms です。" \
      "差の 88 % は GVL 待ちです（主な原因は ReportsController#sales）。"
  end

  def test_systems_of_a_later_version_are_others
    assert_equal "#{ORDERS}: others queue", section(calls("kafka queue")).rows.first.first
  end

  def test_further_names_are_counted
    names = [ORDERS, "QuotesController#show"]
    found = section(*names.map { |name| calls("sql primary", name:) }, limit: 1)
    assert_equal [ORDERS], found.rows.map { |row| row.first.partition(": ").first }.uniq
    assert_includes found.notes, "... and 1 more (--limit)"
  end

  def test_json_has_exact_sums
    json = Holdup::View::Json.new(summary(calls("sql primary"))).to_h.fetch(:calls)
    line = json.first.fetch(:systems).first
    parts = [line.dig(:remote_ns, :sum), *line.values_at(:stalled_ns, :gc_ns, :ruby_ns)]
    assert_equal ["sql", "primary", 3600], line.values_at(:system, :target, :count)
    assert_equal line.dig(:elapsed_ns, :sum), parts.sum
  end
end
