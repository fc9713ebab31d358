# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # What could not be carried or kept.
      class SkippedRows
        # @param connection [Connection]
        def initialize(connection)
          @connection = connection
        end

        # @param rows [Array<SkippedRow>] added up with those that are there
        # @return [void]
        def add(rows)
          @connection.write { |db| rows.each { |row| add_one(db[:skipped_rows], row) } } if rows.any?
        end

        # @return [Array<SkippedRow>] the latest first
        def to_a
          columns = SkippedRow.members
          @connection.read { |db|
            db[:skipped_rows].select(*columns).reverse(:at_s, :id).map { |row| SkippedRow.new(**row) }
          }
        end

        # @param now_s [Integer]
        # @return [void]
        def prune(now_s)
          @connection.write do |db|
            db[:skipped_rows].where { at_s < now_s - SkippedRow::KEEP_S }.delete
            kept = db[:skipped_rows].reverse(:at_s, :id).limit(SkippedRow::MOST).select_map(:id)
            db[:skipped_rows].exclude(id: kept).delete if kept.size == SkippedRow::MOST
          end
        end

        private

        def add_one(table, row)
          key = {host: row.host, kind: row.kind.name, name: row.name}
          known = table.where(key)
          facts = {at_s: row.at_s, reason: row.reason}
          if known.update(**facts, count: Sequel[:count] + row.count).zero?
            table.insert(**key, **facts, count: row.count)
          end
        end
      end
    end
  end
end
