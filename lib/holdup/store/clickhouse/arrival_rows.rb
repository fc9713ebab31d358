# frozen_string_literal: true

module Holdup
  module Store
    class Clickhouse
      # When units came: a row for each commit, minute, setting and host. Rows of one minute are put together
      # when they are read.
      class ArrivalRows
        # @param commits [#call] which commits count, see Spans#commits
        def initialize(client, names, commits:)
          @client = client
          @names = names
          @commits = commits
        end

        # @return [Array<Hash>] rows of `arrivals`
        def rows(blocks)
          day = Clickhouse.day
          blocks.group_by(&:key).map do |(start_s, setting, host), same|
            packed = [ArrivalBlock::Codec.dump(same.reduce(:merge))].pack("m0")
            {day:, start_s:, setting: NameTable.setting_id(setting), host:, packed:}
          end
        end

        # @param kept [RollupSteps::RollupState]
        # @return [Array<ArrivalBlock>]
        def between(from_s, to_s, kept)
          rows = @client.rows("SELECT start_s, setting, host, packed FROM arrivals " \
            "#{counting(from_s, to_s, kept)} ORDER BY start_s, setting, host " \
            "LIMIT 1 BY start_s, setting, host, session, number")
          rows.map { |row| block(*row) }.group_by(&:key).values.map { |same| same.reduce(:merge) }
        end

        # @return [Integer, nil] start of the first minute before that second
        def oldest_s(before_s, kept)
          rows = @client.rows("SELECT count(), min(start_s) FROM arrivals #{counting(0, before_s, kept)}")
          count, start_s = rows.first.map(&:to_i)
          start_s if count.positive?
        end

        private

        def counting(from_s, to_s, kept)
          first_s = [from_s / MINUTE_S * MINUTE_S, kept.kept_from(:arrivals)].max
          @commits.call.counting("start_s >= #{first_s} AND start_s < #{to_s}")
        end

        def block(start_s, setting, host, packed)
          empty = ArrivalBlock.new(start_s: start_s.to_i, setting: @names.setting(setting), host: -host,
            counts: {})
          ArrivalBlock::Codec.load(packed.unpack1("m"), empty)
        end
      end
    end
  end
end
