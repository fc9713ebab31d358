# frozen_string_literal: true

module Holdup
  module Store
    class Clickhouse
      # The last rounds of each host: a row for each, in partitions of an hour, which Upkeep drops. Of several
      # of one slot the latest counts.
      class LastHourRows
        # @param commits [#call] which commits count, see Spans#commits
        def initialize(client, commits:)
          @client = client
          @commits = commits
        end

        # @param figures [RecentFigures, nil]
        # @return [Array<Hash>] rows of `recent_figures`
        def rows(figures)
          return [] unless figures
          packed = [RecentFigures::Codec.dump(figures)].pack("m0")
          [{start_s: figures.start_s, host: figures.host, packed:}]
        end

        # @param hosts [Array<String>, nil] nil: all
        # @return [Array<RecentFigures>]
        def between(from_s, to_s, hosts)
          return [] if hosts == []
          only = " AND host IN (#{hosts.map { |host| HttpClient.quote(host) }.join(", ")})" if hosts
          condition = @commits.call.counting("start_s >= #{from_s} AND start_s < #{to_s}#{only}")
          latest = "ORDER BY start_s, host, session, number DESC LIMIT 1 BY start_s, host"
          found = @client.rows("SELECT start_s, host, packed FROM recent_figures #{condition} #{latest}")
          ring(found.filter_map { |row| figures(*row) })
        end

        private

        # The rows of the hour before may still be there.
        def ring(figures)
          figures.group_by(&:host).values.flat_map { |same|
            first_s = same.last.start_s - RecentFigures::KEEP_S
            same.select { |one| one.start_s > first_s }
          }.sort_by { |one| [one.start_s, one.host] }
        end

        def figures(start_s, host, packed)
          RecentFigures::Codec.load(packed.unpack1("m"), host: -host, start_s: start_s.to_i)
        rescue DamagedData
          nil
        end
      end
    end
  end
end
