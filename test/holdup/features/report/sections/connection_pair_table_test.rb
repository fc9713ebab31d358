# frozen_string_literal: true

require "test_helper"
require "contracts/pair_table_contract"
require "holdup/loader"

class Holdup::Report::Sections::ConnectionPairTableTest < Minitest::Test
  include PairTableContract

  MS = 1_000_000
  # Milliseconds by who waited and who had connections.
  PARTS = {"Stock#show" => {"RefillJob" => 30, "(unknown)" => 10},
           "Cart#show" => {"thread:poller" => 8}}.freeze

  # Milliseconds by who waits.
  WAITS = {"Stock#show" => 40, "Cart#show" => 8, "RefillJob" => 0}.freeze

  def summary(parts = PARTS, waits: WAITS, samples: [], **options)
    sample = SampleWindows.new(setting: {"db_pool" => 1})
    units = waits.map do |name, ms|
      wall = Holdup::Histogram.of([50 * MS])
      sample.window(name, count: 1, sums: {pool_wait_ns: ms * MS, sleep_ns: ms * MS}, histograms: {wall:})
    end
    pairs = parts.flat_map do |victim, by_holder|
      by_holder.map do |holder, ms|
        sample.window(victim, kind: :pool_pair, queue: holder, sums: {pool_wait_ns: ms * MS})
      end
    end
    Holdup::Analysis::Summary.new(units, samples:, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 60, connection_pairs: pairs, **options)
  end

  def table = Holdup::Report::Sections::ConnectionPairTable

  def parts = %i[connection_pairs samples]

  def calm = summary({}, waits: WAITS.transform_values { 0 })

  def without = [calm, summary({})]

  def rows
    [["Stock#show", "RefillJob", "75.0", "30.0 ms"], ["Stock#show", "(unknown)", "25.0", "10.0 ms"],
      ["Cart#show", "(thread) poller", "100", "8.00 ms"]]
  end

  def headline(summary, language)
    Holdup::View::Headline.new(summary, words: Holdup::View::Words.new(language))
  end

  def test_the_first_sentence_says_it
    assert_equal "Stock#show waits 80.0 % of its time for a database connection; " \
      "the pool of 1 is kept 75.0 % by RefillJob.", headline(summary, "en").verdict
    assert_includes headline(summary, "ja").verdict, "コネクションプールの 75.0 % は RefillJob"
  end

  def test_a_pool_of_redis_is_no_database
    known = {at_s: SampleWindows::START_S, since_s: SampleWindows::START_S, host: "h", pid: 7, start: 1}
    redis = summary(samples: [{**known, "waited.pools": "RedisClient"}])
    assert_includes headline(redis, "en").verdict, "of its time for a connection (RedisClient); the pool"
    assert_includes headline(redis, "ja").verdict, "を接続（RedisClient）の空き待ちに"
    assert_equal "Who waited for connections (RedisClient), and who had them", section(redis).title
    assert_equal "Who waited for database connections, and who had them", section.title
  end

  def test_a_pool_of_unknown_size
    setting = {"threads" => 5}
    unsized = Holdup::Setting.new(attributes: setting)
    windows = summary.total.entries.map { |entry| entry.window.with(setting: unsized) }
    pair = SampleWindows.new(setting:).window("Stock#show", kind: :pool_pair, queue: "RefillJob",
      sums: {pool_wait_ns: 40 * MS})
    summary = Holdup::Analysis::Summary.new(windows, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 60, connection_pairs: [pair])
    assert_includes headline(summary, "en").verdict, "connection; the pool is kept 100 % by RefillJob."
  end

  def test_json_has_all_pairs
    found = Holdup::View::Json.new(summary).to_h.fetch(:pool_pairs)
    assert_equal 3, found.size
    assert_equal({causer: "RefillJob", victim: "Stock#show", wait_ns: 30 * MS, share: 0.75},
      found.first.merge(causer: found.first[:causer][:name], victim: found.first[:victim][:name]))
  end
end
