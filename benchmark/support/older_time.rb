# frozen_string_literal: true

require "holdup/loader"

module Bench
  # Fills a store with what was rolled up before the simulated hour: copies of its own windows, all five
  # minutes of a day, all hours and days of a month; and of its samples of single requests, as far back as
  # stores keep them. Without those an advice judges a day by one hour.
  class OlderTime
    HOUR_S = 3600
    DAY_S = 86_400
    FIVE_S = 300
    BLOCK_S = Holdup::SampleBlock::SECONDS
    # Starts that one statement copies.
    AT_ONCE = 24

    # Windows of `seconds` from each of `starts` on are copies of those that are `from_seconds` long and begin
    # at `from_s`.
    CopiedWindows = Data.define(:seconds, :starts, :from_seconds, :from_s)

    # @param url [String] of the store
    # @param now_s [Integer] end of the simulated hour, after its roll-up
    # @param days [Integer]
    def initialize(url, now_s:, days:)
      @url = url
      @now_s = now_s
      @days = days
    end

    # @return [void]
    def fill
      @url.start_with?("clickhouse") ? fill_clickhouse : fill_sql
    end

    private

    # @return [Array<CopiedWindows>]
    def copies
      hour_s = @now_s / HOUR_S * HOUR_S - HOUR_S
      five_s = @now_s / FIVE_S * FIVE_S - 2 * FIVE_S
      first_s = @now_s - @days * DAY_S
      day = [HOUR_S, hour_s]
      [*of(DAY_S, first_s, @now_s / DAY_S * DAY_S, day), *of(HOUR_S, first_s, hour_s, day),
        *of(FIVE_S, @now_s - DAY_S, hour_s, [FIVE_S, five_s])]
    end

    # Of the time up to `to_s`.
    def of(seconds, first_s, to_s, (from_seconds, from_s))
      starts = (first_s / seconds * seconds...to_s).step(seconds)
      starts.each_slice(AT_ONCE).map do |some|
        CopiedWindows.new(seconds:, starts: some, from_seconds:, from_s:)
      end
    end

    # Of the last ten minutes that are whole.
    # @return [Array<CopiedWindows>]
    def sample_copies
      block_s = @now_s / BLOCK_S * BLOCK_S - BLOCK_S
      first_s = @now_s - [@days * DAY_S, Holdup::Store::SampleRetention::KEEP_S].min
      of(BLOCK_S, first_s, @now_s / HOUR_S * HOUR_S - HOUR_S, [BLOCK_S, block_s])
    end

    def fill_sql
      connection = Holdup::Store::Sql::Connection.new(Holdup::Store::Sql::Postgres.new(@url))
      tables = {windows: Holdup::Store::Sql::WindowCodec, host_sums: Holdup::Store::Sql::WindowRows::HostSums}
      copies.product(tables.to_a).each do |copy, (table, codec)|
        connection.write { |db| copy_rows(db[table], codec::COLUMNS.drop(2), copy) }
      end
      sample_copies.each { |copy| connection.write { |db| copy_samples(db[:unit_samples], copy) } }
      connection.use { |db| db.run("VACUUM ANALYZE") } # as autovacuum would soon
      connection.close
    end

    def copy_rows(table, columns, copy)
      rows = table.where(seconds: copy.from_seconds, start_s: copy.from_s)
      same = [Sequel.lit(copy.seconds.to_s), starts(copy), *columns]
      table.insert([:seconds, :start_s, *columns], rows.select(*same))
    end

    # The codec of a block counts from its start.
    def copy_samples(table, copy)
      columns = %i[setting_id host_id seen bytes units]
      rows = table.where(start_s: copy.from_s)
      table.insert([:start_s, *columns], rows.select(starts(copy), *columns))
    end

    def starts(copy)
      Sequel.function(:unnest, Sequel.lit("ARRAY[#{copy.starts.join(", ")}]::bigint[]"))
    end

    def fill_clickhouse
      client = Holdup::Store::Clickhouse::HttpClient.new(@url)
      others = "arrayMap(one -> bitXor(one, toUInt64(at_s)), windows)"
      origins = {"host" => "host", "first_host, last_host, windows" => "first_host, last_host, #{others}"}
      copies.product(%w[windows host_sums].zip(origins)).each do |copy, (table, (names, values))|
        columns, copied = [names, values].map do |origin|
          "series, setting, #{origin}, #{Holdup::Store::Clickhouse::WindowColumns::ALL}"
        end
        client.run("INSERT INTO #{table} (step, seconds, start_s, #{columns}) " \
          "SELECT step, #{copy.seconds}, arrayJoin([#{copy.starts.join(", ")}]) AS at_s, #{copied} " \
          "FROM #{table} WHERE seconds = #{copy.from_seconds} AND start_s = #{copy.from_s}")
      end
      sample_copies.each { |copy| copy_clickhouse_samples(client, copy) }
      client.close
    end

    def copy_clickhouse_samples(client, copy)
      client.run("INSERT INTO unit_samples (day, session, number, start_s, setting, host, seen, packed) " \
        "SELECT toDate(at_s), session, number, arrayJoin([#{copy.starts.join(", ")}]) AS at_s, setting, " \
        "host, seen, packed FROM unit_samples WHERE start_s = #{copy.from_s}")
    end
  end
end
