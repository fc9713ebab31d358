# frozen_string_literal: true

require "sequel/core"

module Holdup
  module Store
    class Sql
      # When units came: a blob for each minute, setting and host.
      class ArrivalBlocks
        # @param skipped [SkippedRows] takes damaged rows
        def initialize(connection, codec, skipped)
          @connection = connection
          @settings = codec.settings
          @hosts = codec.hosts
          @skipped = skipped
        end

        def merge(blocks)
          @connection.write { |db| blocks.each { |block| merge_one(db[:arrivals], block) } }
        end

        def between(from_s, to_s)
          @connection.read do |db|
            first_s = from_s / MINUTE_S * MINUTE_S
            rows = db[:arrivals].where { (start_s >= first_s) & (start_s < to_s) }
            rows.order(:start_s, :setting_id, :host_id).all.map { |row| block(row) }
          end
        end

        def prune(now_s)
          @connection.write { |db| db[:arrivals].where { start_s < now_s - ArrivalBlock::KEEP_S }.delete }
        end

        private

        def merge_one(table, block)
          key = {start_s: block.start_s, setting_id: @settings.id(block.setting),
                 host_id: @hosts.id(block.host)}
          row = table.where(key).first
          packed = ArrivalBlock::Codec.dump(merged(row, block))
          facts = {bytes: packed.bytesize, packed: Sequel.blob(packed)}
          row ? table.where(id: row[:id]).update(facts) : table.insert(key.merge(facts))
        end

        # An unreadable row is lost: the new one replaces it.
        def merged(row, block)
          ArrivalBlock::Codec.merge(row && String.new(row[:packed]), block)
        rescue DamagedData => error
          skipped = SkippedRow.new(at_s: block.start_s, host: block.host, kind: :stored, name: "arrivals",
            reason: error.message)
          @skipped.add([skipped])
          block
        end

        def block(row)
          empty = ArrivalBlock.new(start_s: row[:start_s], setting: @settings.value(row[:setting_id]),
            host: @hosts.value(row[:host_id]), counts: {})
          ArrivalBlock::Codec.load(String.new(row[:packed]), empty)
        end
      end
    end
  end
end
