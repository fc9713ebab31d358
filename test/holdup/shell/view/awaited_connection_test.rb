# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::AwaitedConnectionTest < Minitest::Test
  SAMPLE = {at_s: SampleWindows::START_S, host: "h", pid: 7, start: 1,
            since_s: SampleWindows::START_S}.freeze

  # @param samples [Array<Hash>] what the processes say of their pools
  def phrases(*samples, language: "en")
    samples = samples.map { |sample| {**SAMPLE, **sample} }
    summary = Holdup::Analysis::Summary.new([], samples:, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 60)
    connection = Holdup::View::AwaitedConnection.new(summary, words: Holdup::View::Words.new(language))
    [connection.one, connection.many, connection.title]
  end

  def test_of_a_database_and_where_nothing_is_known
    database = ["a database connection", "database connections", "Database connections"]
    assert_equal database, phrases({"waited.database": "yes"})
    assert_equal database, phrases({})
    assert_equal %w[データベース接続] * 3, phrases({}, language: "ja")
  end

  def test_the_class_of_the_only_pool_in_which_threads_waited
    assert_equal ["a connection (RedisClient)", "connections (RedisClient)", "Connections (RedisClient)"],
      phrases({"waited.pools": "RedisClient"}, {"waited.pools": "RedisClient"})
    assert_equal %w[接続（RedisClient）] * 3, phrases({"waited.pools": "RedisClient"}, language: "ja")
  end

  def test_no_name_where_it_may_have_been_one_of_several
    any = ["a connection", "connections", "Connections"]
    assert_equal any, phrases({"waited.pools": "RedisClient Dalli::Client"})
    assert_equal any, phrases({"waited.pools": ""})
    assert_equal any, phrases({"waited.pools": "RedisClient", "waited.database": "yes"})
    assert_equal any, phrases({"waited.pools": "RedisClient"}, {"waited.database": "yes"})
  end
end
