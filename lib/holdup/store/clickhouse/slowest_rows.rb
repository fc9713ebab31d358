# frozen_string_literal: true

module Holdup
  module Store
    class Clickhouse
      # The slowest units: a row for each commit, minute, series, setting and host. Rows of one minute are put
      # together when they are read.
      class SlowestRows
        # Of a row that arrived twice.
        ONCE = "LIMIT 1 BY start_s, series, setting, host, session, number"
        private_constant :ONCE

        # @param commits [#call] which commits count, see Spans#commits
        def initialize(client, names, commits:)
          @client = client
          @names = names
          @commits = commits
        end

        # @return [Array<Hash>] rows of `slowest_units`
        # @raise [StoreError::BadRow]
        def rows(blocks)
          day = Clickhouse.day
          blocks.group_by(&:key).map do |(start_s, series, setting, host), same|
            @names.check(series)
            block = same.reduce(:merge)
            packed = [SlowestBlock::Codec.dump(block)].pack("m0")
            {day:, start_s:, host:, series: NameTable.series_id(series),
             setting: NameTable.setting_id(setting), slowest_ns: block.slowest_ns, packed:}
          end
        end

        # The slowest of all are in the rows whose own slowest are.
        # @param kept [RollupSteps::RollupState]
        # @return [Array<SlowUnit>]
        def slowest(from_s, to_s, kept, most:, settings:, hosts:, filter:)
          ids = {series: (series_ids(filter) unless filter.all?),
                 setting: settings&.map { |setting| NameTable.setting_id(setting) },
                 host: hosts&.map { |host| HttpClient.quote(host) }}.compact
          return [] if ids.value?([])
          only = ids.map { |column, values| " AND #{column} IN (#{values.join(", ")})" }.join
          last = "ORDER BY slowest_ns DESC #{ONCE} LIMIT #{most}"
          blocks(between(from_s, to_s, kept, only), last).flat_map(&:slow_units).min_by(most, &:order)
        end

        # @return [Array<SlowestBlock>]
        def all(from_s, to_s, kept)
          blocks(between(from_s, to_s, kept), ONCE)
        end

        # @return [Array<(Integer, Integer)>] start and bytes of all minutes, newest first
        def sizes(kept)
          rows = @client.rows("SELECT start_s, sum(length(packed)) FROM slowest_units " \
            "#{between(0, 1 << 40, kept)} GROUP BY start_s ORDER BY start_s DESC")
          rows.map { |row| row.map(&:to_i) }
        end

        # @return [Integer, nil] start of the first minute before that second
        def oldest_s(before_s, kept)
          rows = @client.rows("SELECT count(), min(start_s) FROM slowest_units #{between(0, before_s, kept)}")
          count, start_s = rows.first.map(&:to_i)
          start_s if count.positive?
        end

        private

        def series_ids(filter)
          @names.read_series
          @names.series_ids(filter)
        end

        def between(from_s, to_s, kept, only = "")
          first_s = [from_s / MINUTE_S * MINUTE_S, kept.kept_from(:slowest_units)].max
          @commits.call.counting("start_s >= #{first_s} AND start_s < #{to_s}#{only}")
        end

        def blocks(condition, last)
          rows = @client.rows("SELECT start_s, series, setting, host, packed FROM slowest_units " \
            "#{condition} #{last}")
          rows.map { |row| block(*row) }.group_by(&:key).values.map { |same| same.reduce(:merge) }
        end

        def block(start_s, series, setting, host, packed)
          empty = SlowestBlock.new(start_s: start_s.to_i, series: @names.series(series),
            setting: @names.setting(setting), host: -host, slow_units: [])
          SlowestBlock::Codec.load(packed.unpack1("m"), empty)
        end
      end
    end
  end
end
