# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/sample_minutes"

# What a ClickHouse says of its limits, each provoked for real.
class ClickhouseLimitsTest < Minitest::Test
  include SampleMinutes

  Clickhouse = Holdup::Store::Clickhouse
  Errors = Holdup::Store::ServerErrors
  STATEMENTS = {
    "SELECT sleep(3) FROM system.numbers LIMIT 2 SETTINGS max_execution_time = 1, max_block_size = 1" =>
      [Errors::TimeLimit, /raise max_execution_time/],
    "SELECT count() FROM (SELECT * FROM system.numbers LIMIT 999999) SETTINGS max_rows_to_read = 1" =>
      [Errors::LimitReached, /raise max_rows_to_read/],
    "SELECT 1 FROM nothing_here" => [Errors::NotMigrated, /nothing_here.*\)\z/],
    "SELECT no_such_function(1)" => [Errors::Unexpected, /no_such_function.*server's log/]
  }.freeze
  USERS = <<~XML
    <yandex>
      <profiles>
        <one_at_a_time><max_concurrent_queries_for_user>1</max_concurrent_queries_for_user></one_at_a_time>
        <reader><readonly>1</readonly></reader>
        <small><max_memory_usage>10000000</max_memory_usage></small>
      </profiles>
      <quotas><few><interval><duration>3600</duration><queries>2</queries></interval></few></quotas>
      <users>
        <hasty><password>secret</password><networks><ip>::/0</ip></networks>
          <profile>default</profile><quota>few</quota></hasty>
        <busy><password>secret</password><networks><ip>::/0</ip></networks>
          <profile>one_at_a_time</profile><quota>default</quota></busy>
        <reader><password>secret</password><networks><ip>::/0</ip></networks>
          <profile>reader</profile><quota>default</quota></reader>
        <small><password>secret</password><networks><ip>::/0</ip></networks>
          <profile>small</profile><quota>default</quota></small>
      </users>
    </yandex>
  XML

  def setup
    skip "no ClickHouse here: bin/setup --services installs it" unless ClickhouseServer.installed?
    super
  end

  def test_each_limit_of_a_statement_has_its_sentence
    url = ClickhouseServer.shared.create("limits_of_statements")
    Holdup::Store.open(url).tap(&:migrate!).close
    client = Clickhouse::HttpClient.new(url)
    STATEMENTS.each do |sql, (kind, words)|
      error = assert_raises(kind, sql) { sql.start_with?("SELECT") ? client.rows(sql) : client.run(sql) }
      assert_match(words, error.message)
      refute_match(/damaged|backup/, error.message, sql)
    end
  ensure
    client&.close
  end

  def test_each_limit_of_a_user_has_its_sentence
    other = ClickhouseServer.new.start(users: USERS)
    other.create("holdup")
    Holdup::Store.open(other.url("holdup")).tap(&:migrate!).close
    {"hasty" => [Errors::LimitReached, /Quota .*raise QUOTA/i], "reader" => [Errors::Denied, /readonly/],
     "nobody" => [Errors::LoginRefused, /check the user and password/]}.each do |user, (kind, words)|
      error = assert_raises(kind) { commit(other.url("holdup", user:)) }
      assert_match(words, error.message)
      refute_match(/damaged|backup|secret/, error.message)
    end
    error = assert_raises(Errors::OutOfMemory) do
      Clickhouse::HttpClient.new(other.url("holdup", user: "small")).rows(
        "SELECT uniqExact(number) FROM (SELECT number FROM system.numbers LIMIT 9000000)"
      )
    end
    assert_match(/lacks memory for what was asked \(Memory limit/, error.message)
    assert_asked_again(other)
  ensure
    other&.stop
  end

  private

  # One query at a time: another one waits for it, a little.
  def assert_asked_again(other)
    url = other.url("holdup", user: "busy")
    long = Thread.new { Clickhouse::HttpClient.new(url).rows("SELECT sleep(3), 'long' FROM system.one") }
    running = "SELECT count() FROM system.processes WHERE query LIKE '%long%' AND user = 'busy'"
    wait_until { other.query(running) == "1" }
    error = assert_raises(Errors::NoConnection) { Clickhouse::HttpClient.new(url).rows("SELECT 1") }
    assert_match(/simultaneous queries.*raise max_concurrent_queries/i, error.message)
    long.join
    assert_equal [[1]], Clickhouse::HttpClient.new(url).rows("SELECT 1")
  end

  def commit(url)
    store = Holdup::Store.open(url)
    store.commit([minute], {"a /x/s" => "1"})
  ensure
    store&.close
  end
end
