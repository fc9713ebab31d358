# frozen_string_literal: true

require "sequel/core"

module Holdup
  module Store
    class Sql
      # Samples of single units: a blob for each ten minutes, setting and host.
      class UnitSamples
        # @param skipped [SkippedRows] takes damaged rows
        def initialize(connection, codec, skipped)
          @connection = connection
          @settings = codec.settings
          @hosts = codec.hosts
          @skipped = skipped
        end

        def merge(blocks)
          @connection.write { |db| blocks.each { |block| merge_one(db[:unit_samples], block) } }
        end

        def between(from_s, to_s, setting = nil, most = SampleBlock::MOST)
          Enumerator.new do |samples|
            blocks = to_enum(:each, from_s, to_s, setting, most)
            SampleRetention.between(blocks, from_s, to_s).each { |sample| samples << sample }
          end
        end

        def spans(starts)
          @connection.read do |db|
            db[:unit_samples].where(start_s: starts).each_with_object({}) do |row, blocks|
              spans = SampleBlock::Codec.load_spans(String.new(row[:packed]), empty_block(row))
              (blocks[row[:start_s]] ||= []) << spans
            end
          end
        end

        def starts(from_s, to_s)
          @connection.read { |db| span(db, from_s, to_s).distinct.order(:start_s).select_map(:start_s) }
        end

        # @param max_bytes [Numeric] limit for all samples
        # @return [Integer] samples deleted
        def prune(now_s, max_bytes)
          @connection.write do |db|
            sizes = (max_bytes == Float::INFINITY) ? [] : sizes(db)
            from_s = SampleRetention.from_s(sizes, now_s, max_bytes)
            db[:unit_samples].where { start_s < from_s }.delete
          end
        end

        private

        def sizes(db)
          db[:unit_samples].reverse(:start_s).select_map(%i[start_s bytes])
        end

        def each(from_s, to_s, setting, most)
          handed = false
          @connection.read(again: ->(_error) { !handed }) do |db|
            rows = span(db, from_s, to_s).order(:start_s, :setting_id, :host_id)
            rows = rows.where(setting_id: ids(setting)) if setting
            rows.each do |row|
              handed = true
              yield block(row, most)
            end
          end
        end

        def span(db, from_s, to_s)
          db[:unit_samples].where { (start_s > from_s - SampleBlock::SECONDS) & (start_s < to_s) }
        end

        # The method `@settings.id` would add a setting that is not stored.
        def ids(setting)
          @settings.load.select { |_, known| known == setting }.keys
        end

        def merge_one(table, block)
          setting_id = @settings.id(block.setting)
          host_id = @hosts.id(block.host)
          key = {start_s: block.start_s, setting_id:, host_id:}
          row = table.where(key).first
          packed = merged(row, block)
          seen = block.seen + (row ? row[:seen] : 0)
          facts = {seen:, bytes: packed.bytesize, packed: Sequel.blob(packed)}
          row ? table.where(id: row[:id]).update(facts) : table.insert(key.merge(facts))
        end

        # An unreadable row is lost: the new one replaces it.
        def merged(row, block)
          SampleBlock::Codec.merge(row && String.new(row[:packed]), block)
        rescue DamagedData => error
          skipped = SkippedRow.new(at_s: block.start_s, host: block.host, kind: :stored,
            name: "unit samples",
            reason: error.message)
          @skipped.add([skipped])
          SampleBlock::Codec.merge(nil, block)
        end

        def block(row, most)
          SampleBlock::Codec.load(String.new(row[:packed]), empty_block(row), weighted: true, most:)
        end

        def empty_block(row)
          setting = @settings.value(row[:setting_id])
          host = @hosts.value(row[:host_id])
          SampleBlock.new(setting:, host:, start_s: row[:start_s], seen: row[:seen], unit_samples: [])
        end
      end
    end
  end
end
