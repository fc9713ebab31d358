# frozen_string_literal: true

require "sequel/core"

module Holdup
  module Store
    class Sql
      # The slowest units: a blob for each minute, series, setting and host.
      class SlowestBlocks
        # @param skipped [SkippedRows] takes damaged rows
        def initialize(connection, codec, skipped)
          @connection = connection
          @codec = codec
          @skipped = skipped
        end

        def merge(blocks)
          @connection.write { |db| blocks.each { |block| merge_one(db[:slowest_units], block) } }
        end

        # The slowest of all are in the blobs whose own slowest are.
        def slowest(from_s, to_s, most, settings:, hosts:, filter:)
          @connection.read do |db|
            ids = {series_id: (series_ids(filter) unless filter.all?),
                   setting_id: settings && ids_of(@codec.settings, settings),
                   host_id: hosts && ids_of(@codec.hosts, hosts)}.compact
            next [] if ids.value?([])
            rows = span(db, from_s, to_s).where(ids).reverse(:slowest_ns).limit(most)
            rows.all.flat_map { |row| block(row).slow_units }.min_by(most, &:order)
          end
        end

        def from_s
          @connection.read { |db| db[:slowest_units].min(:start_s) }
        end

        def blocks(from_s, to_s)
          @connection.read { |db| span(db, from_s, to_s).order(:id).all.map { |row| block(row) } }
        end

        # @param max_bytes [Numeric] limit for all samples of single units
        def prune(now_s, max_bytes)
          @connection.write do |db|
            sizes = (max_bytes == Float::INFINITY) ? [] : sizes(db)
            from_s = SlowestRetention.from_s(sizes, now_s, max_bytes)
            db[:slowest_units].where { start_s < from_s }.delete
          end
        end

        private

        def sizes(db)
          minutes = db[:slowest_units].group(:start_s).reverse(:start_s)
          sums = minutes.select_map([:start_s, Sequel.function(:sum, :bytes).as(:bytes)])
          sums.map { |start_s, bytes| [start_s, bytes.to_i] }
        end

        def span(db, from_s, to_s)
          first_s = from_s / MINUTE_S * MINUTE_S
          db[:slowest_units].where { (start_s >= first_s) & (start_s < to_s) }
        end

        # The method `id` would add what is not stored.
        def ids_of(catalog, values)
          catalog.load.select { |_, known| values.include?(known) }.keys
        end

        def series_ids(filter)
          @codec.series.load.select { |_, series| filter.match?(series) }.keys
        end

        def merge_one(table, block)
          key = {start_s: block.start_s, series_id: @codec.series.id(block.series),
                 setting_id: @codec.settings.id(block.setting), host_id: @codec.hosts.id(block.host)}
          row = table.where(key).first
          merged = merged(row, block)
          packed = SlowestBlock::Codec.dump(merged)
          facts = {slowest_ns: merged.slowest_ns, bytes: packed.bytesize, packed: Sequel.blob(packed)}
          row ? table.where(id: row[:id]).update(facts) : table.insert(key.merge(facts))
        end

        # An unreadable row is lost: the new one replaces it.
        def merged(row, block)
          SlowestBlock::Codec.merge(row && String.new(row[:packed]), block)
        rescue DamagedData => error
          skipped = SkippedRow.new(at_s: block.start_s, host: block.host, kind: :stored,
            name: "slowest units", reason: error.message)
          @skipped.add([skipped])
          SlowestBlock::Codec.merge(nil, block)
        end

        def block(row)
          empty = SlowestBlock.new(start_s: row[:start_s], series: @codec.series.value(row[:series_id]),
            setting: @codec.settings.value(row[:setting_id]), host: @codec.hosts.value(row[:host_id]),
            slow_units: [])
          SlowestBlock::Codec.load(String.new(row[:packed]), empty)
        end
      end
    end
  end
end
