# frozen_string_literal: true

require "sequel/core"

module Holdup
  module Store
    class Sql
      # Who waited for whom: a blob for each window length, start, setting and host. A minute has hundreds of
      # pairs of one number each. Where the database is in this process, one blob is written and read in a
      # fraction of the time that a row of `windows` for each would take.
      class PairBlocks
        KEY = %i[seconds start_s setting_id host_id].freeze
        COLUMNS = [*KEY, :pairs, :packed].freeze
        private_constant :KEY, :COLUMNS

        # For the migration: moves pairs from rows of `windows` into blocks. Damaged rows are lost.
        # @param db [Sequel::Database]
        def self.pack(db)
          series = db[:series].where(kind: Series::PAIRS.map(&:name)).select_map(:id)
          columns = [*KEY, :series_id, :stalled, *Window::PAIR_SUMS.values]
          rows = db[:windows].where(series_id: series).select(*columns).order(:seconds, :start_s)
          rows.enum_for(:each).chunk_while { |one, other| one[:start_s] == other[:start_s] }.each do |same|
            blocks = same.group_by { |row| row.values_at(*KEY) }
            db[:pair_blocks].import(COLUMNS, blocks.map { |key, pairs| row(key, pairs_of(pairs)) })
          end
          db[:windows].where(series_id: series).delete
        end

        # @param pairs [Hash{Integer => Integer}] ns by id of the series
        # @return [Array] values in the order of COLUMNS
        def self.row(key, pairs) = [*key, pairs.size, Sequel.blob(Codec.dump(pairs))]

        # @param rows [Array<Hash>] of `windows`: a pair has one number, in one of the columns
        def self.pairs_of(rows)
          rows.to_h do |row|
            ns = Window::PAIR_SUMS.values.sum { |name| row[name] } + Histogram::Codec.head(row[:stalled]).sum
            [row[:series_id], ns]
          rescue DamagedData
            [row[:series_id], 0]
          end
        end
        private_class_method :pairs_of

        # @param skipped [SkippedRows] takes damaged rows
        def initialize(connection, codec, skipped)
          @connection = connection
          @codec = codec
          @skipped = skipped
        end

        # Adds windows of pairs to the existing ones.
        def merge(windows)
          @connection.write do |db|
            packed(windows).each { |key, pairs| merge_one(db[:pair_blocks], KEY.zip(key).to_h, pairs) }
          end
        end

        # Makes these the only pairs of one span.
        def replace(seconds, start_s, windows)
          @connection.write do |db|
            db[:pair_blocks].where(seconds:, start_s:).delete
            rows = packed(windows).map { |key, pairs| self.class.row(key, pairs) }
            db[:pair_blocks].import(COLUMNS, rows)
          end
        end

        # @return [Integer] pairs that were deleted
        def delete_before(seconds, before_s)
          @connection.write do |db|
            old = db[:pair_blocks].where(seconds:).where { start_s < before_s }
            old.sum(:pairs).to_i.tap { old.delete }
          end
        end

        # @return [Array<Integer>] the first and the last start in a span, empty without any
        def extent(seconds, from_s, to_s = nil)
          @connection.read do |db|
            rows = span(db, seconds, from_s, to_s)
            [rows.min(:start_s), rows.max(:start_s)].compact
          end
        end

        # @param series_ids [Array<Integer>, nil] of wanted series; nil: all
        # @return [Array<Integer>] those that are pairs
        def wanted(series_ids)
          pairs = @codec.series.load.select { |_, series| series.pair? }.keys
          series_ids ? series_ids & pairs : pairs
        end

        # @param ids [Hash{Symbol => Array<Integer>}] of the wanted windows, by column; all without a key
        # @yieldparam window [Window] of a pair, by start
        def each_window(range, ids = {})
          each(range, ids) { |row, pairs| windows(row, pairs).each { |window| yield window } }
        end

        # For roll-up, which a damaged row must not stop.
        # @return [Array<Window>]
        def readable_windows(range)
          @connection.write do |db|
            wanted = wanted(nil)
            span(db, range.seconds, range.from_s, range.to_s).order(:start_s).all.flat_map do |row|
              readable(row) { windows(row, Codec.load(row[:packed]).slice(*wanted)) } || []
            end
          end
        end

        # @return [Array<(Integer, Integer)>] each start of a setting's pairs, with the id of the setting
        def setting_starts(range, ids)
          wanted = wanted(ids[:series_id])
          return [] if wanted.empty?
          return all_starts(range, ids) if wanted.size == wanted(nil).size
          starts = []
          each(range, ids) do |row, pairs|
            starts << row.values_at(:start_s, :setting_id) if pairs.any?
          end
          starts.uniq
        end

        # @param ids [Hash{Symbol => Array<Integer>}] of the wanted pairs, by column; `series_id` as `wanted`
        #   gave them
        # @yieldparam row [Hash] start_s, setting_id, host_id
        # @yieldparam numbers [Array<Integer>] id of a series, its ns, and so on, of all pairs
        def each_packed(range, ids)
          @connection.read do |db|
            rows = span(db, range.seconds, range.from_s, range.to_s).where(ids.except(:series_id))
            rows.order(:start_s).each { |row| yield row, Codec.numbers(row[:packed]) }
          end
        end

        private

        # Without the blocks, of which each has pairs.
        def all_starts(range, ids)
          @connection.read do |db|
            rows = span(db, range.seconds, range.from_s, range.to_s).where(ids.except(:series_id))
            rows.distinct.select_map(%i[start_s setting_id])
          end
        end

        def each(range, ids)
          wanted = wanted(ids[:series_id])
          return if wanted.empty?
          each_packed(range, ids) do |row, numbers|
            yield row, numbers.each_slice(2).to_h.slice(*wanted)
          end
        end

        def span(db, seconds, from_s, to_s)
          rows = db[:pair_blocks].where(seconds:).where { start_s >= from_s }
          to_s ? rows.where { start_s < to_s } : rows
        end

        # @return [Hash{Array => Hash{Integer => Integer}}] by key, ns by id of the series
        def packed(windows)
          windows.each_with_object({}) do |window, blocks|
            series_id, *origin = @codec.key(window)
            pairs = blocks[[window.seconds, window.start_s, *origin]] ||= Hash.new(0)
            pairs[series_id] += window.pair_ns
          end
        end

        # An unreadable row is lost: the new one replaces it.
        def merge_one(table, key, pairs)
          row = table.where(key).first
          known = row && readable(row) { Codec.load(row[:packed]) }
          pairs = known.merge(pairs) { |_, one, other| one + other } if known
          facts = COLUMNS.zip(self.class.row(key.values, pairs)).to_h
          row ? table.where(id: row[:id]).update(facts) : table.insert(facts)
        end

        # @return [Object, nil] the block's value; nil when the row is damaged
        def readable(row)
          yield
        rescue DamagedData => error
          host = @codec.hosts.load[row[:host_id]]
          skipped = SkippedRow.new(at_s: row[:start_s], host:, kind: :stored, name: "pairs",
            reason: error.message)
          @skipped.add([skipped])
          nil
        end

        def windows(row, pairs)
          origin = {setting: @codec.settings.value(row[:setting_id]), host: @codec.hosts.value(row[:host_id]),
                    **row.slice(:start_s, :seconds)}
          pairs.map { |id, ns| Window.of_pair(series: @codec.series.value(id), ns:, **origin) }
        end

        # The pairs of a block: a version, then of each pair the id of its series and ns.
        module Codec
          VERSION = 1

          module_function

          # @param pairs [Hash{Integer => Integer}] ns by id of the series
          # @return [String] binary
          def dump(pairs) = [VERSION, *pairs.flatten].pack("w*")

          # @return [Hash{Integer => Integer}]
          # @raise [DamagedData]
          def load(bytes) = numbers(bytes).each_slice(2).to_h

          # @return [Array<Integer>] id of a series, ns, and so on
          # @raise [DamagedData]
          def numbers(bytes)
            numbers = bytes.unpack("w*")
            raise DamagedData.new("stored pairs are damaged") if numbers.shift != VERSION || numbers.size.odd?
            numbers
          rescue ArgumentError # its last number ends early
            raise DamagedData.new("stored pairs are damaged")
          end
        end
      end
    end
  end
end
