# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # The table of windows, with the operations that roll-up and pruning need. Where the database packs
      # pairs, their windows are in blocks of their own.
      class WindowRows
        KEY = %i[series_id setting_id host_id].freeze
        INSERT_SLICE = 50 # rows a statement: SQLite parses a short one faster than it would a megabyte
        MERGE_SLICE = 200 # rows that are read and replaced at once
        SUMMED = 20_000 # rows of sums over hosts that one pruning adds up, roughly

        # @param skipped [SkippedRows] takes damaged rows
        def initialize(connection, codec, skipped)
          @connection = connection
          @codec = codec
          @skipped = skipped
          @host_sums = (HostSums.new if connection.dialect.sums_hosts?)
          @pairs = (PairBlocks.new(connection, codec, skipped) if connection.dialect.packs_pairs?)
        end

        # @return [PairBlocks, nil] nil where pairs are rows of the table, too
        attr_reader :pairs

        # One step of roll-up or pruning.
        def transaction
          @connection.write(alone: true) { yield }
        end

        def tiers
          @connection.read do |db|
            @connection.once(:tiers) { db[:tiers].order(:seconds).map { |row| Tier.new(**row) } }
          end
        end

        def save_tier(tier)
          facts = {rolled_to_s: tier.rolled_to_s, kept_from_s: tier.kept_from_s}
          @connection.write { |db| db[:tiers].where(seconds: tier.seconds).update(facts) }
        end

        # @return [Integer, nil] first start at or after that second, and before `to_s`
        def first_start(seconds, from_s, to_s = nil)
          @connection.read do |db|
            first_s = span(db, seconds, from_s, to_s).min(:start_s)
            [first_s, *@pairs&.extent(seconds, from_s, to_s)].compact.min
          end
        end

        # First and last start of all, empty without rows. By tier, because the index begins with the tier.
        def extent
          @connection.read do |db|
            starts = tiers.flat_map do |tier|
              span = span(db, tier.seconds, 0)
              [span.min(:start_s), span.max(:start_s), *@pairs&.extent(tier.seconds, 0)]
            end
            starts.compact.minmax.compact
          end
        end

        # For roll-up, which one damaged row must not stop: rows that the database can't add up are read one
        # by one, and the damaged ones left out.
        # @return [Array<Window>] one for each series, setting and host
        def summed(seconds, from_s, to_s)
          @connection.write do |db|
            range = Tier::ReadPlan::TierRange.new(seconds:, from_s:, to_s:)
            sums_by_database(range) if @connection.dialect.concatenates_some?(db)
          end || sums_of_rows(seconds, from_s, to_s)
        end

        # @param ids [Hash{Symbol => Array<Integer>}] of the wanted rows, by column
        # @param histograms [Array<Symbol>] see Reader#windows
        def each(range, ids: {}, histograms: Window::HISTOGRAMS)
          @connection.read do |db|
            rows = range_rows(db, range, ids).select(*@codec.columns(histograms))
            rows.order(:start_s, :series_id).each { |row| yield @codec.window(row, histograms) }
            @pairs&.each_window(range, ids) { |window| yield window.spread_of(histograms) }
          end
        end

        # Uses only the index.
        # @param ids [Hash{Symbol => Array<Integer>}] of the wanted rows, by column
        # @param starts [Range, Array<Integer>] all of the range
        # @return [Array<(Integer, Setting)>] each start of a setting's windows
        def setting_starts(range, ids: {}, starts: range.from_s...range.to_s)
          @connection.read do |db|
            table = HostSums.for?(range, ids, @connection.dialect) ? :host_sums : :windows
            rows = db[table].where(seconds: range.seconds, start_s: starts, **ids)
            found = rows.distinct.select_map(%i[start_s setting_id])
            found |= @pairs.setting_starts(range, ids) if @pairs
            found.map { |at_s, id| [at_s, @codec.settings.value(id)] }
          end
        end

        # Adds windows, each of another row, to the existing rows. Sql#commit makes sure that what a process
        # has counted is added once.
        def merge(windows)
          @connection.write do |db|
            pairs, others = split(windows)
            others.group_by(&:seconds).each do |seconds, group|
              group.each_slice(MERGE_SLICE) { |some| merge_some(db, seconds, some) }
            end
            @pairs&.merge(pairs)
          end
        end

        # Makes these the only rows of one span.
        def replace(seconds, start_s, windows)
          @connection.write do |db|
            span(db, seconds, start_s, start_s + 1).delete
            pairs, others = split(windows)
            rows = others.map { |window| @codec.row(window) }
            insert(db, rows)
            @host_sums&.replace(db, seconds, start_s, rows)
            @pairs&.replace(seconds, start_s, pairs)
          end
        end

        # @return [Integer] windows that were deleted
        def delete_before(seconds, before_s)
          @connection.write do |db|
            @host_sums&.delete_before(db, seconds, before_s)
            pairs = @pairs&.delete_before(seconds, before_s)
            span(db, seconds, 0, before_s).delete + pairs.to_i
          end
        end

        # Adds up what came late, or from another store, and is in rows of single hosts.
        def sum_hosts
          return unless @host_sums
          rows = 0
          while rows < SUMMED
            added = transaction { @connection.write { |db| @host_sums.add_late(db) } }
            return if added.zero?
            rows += added
          end
        end

        def bytes
          @connection.read { |db| @connection.dialect.bytes(db) }
        end

        private

        # @return [Array(Array<Window>, Array<Window>)] those that are packed, and the others
        def split(windows)
          @pairs ? windows.partition { |window| window.series.pair? } : [[], windows]
        end

        # @return [Array<Window>, nil] nil when a row is damaged, or seems to be
        def sums_by_database(range)
          sums = Spans::Sums.new(@connection, @codec, step_s: nil, settings: nil, together: nil,
            by_host: true, histograms: Window::HISTOGRAMS, pairs: @pairs)
          sums.add(range, {})
          windows = sums.to_a.map(&:window)
          windows if windows.all? { |window| window.histograms.each_value.all?(&:consistent?) }
        rescue DamagedData
          nil
        end

        def sums_of_rows(seconds, from_s, to_s)
          @connection.write do |db|
            rows = span(db, seconds, from_s, to_s).order(:start_s, :series_id).all
            windows = rows.filter_map { |row| readable(row) { @codec.window(row) } }
            range = Tier::ReadPlan::TierRange.new(seconds:, from_s:, to_s:)
            windows.concat(@pairs.readable_windows(range)) if @pairs
            by_origin = windows.group_by { |one| [one.series, one.setting, one.host] }
            by_origin.values.map { |same| Window.sum(same) }
          end
        end

        # @return [Object, nil] the block's value; nil when the row is damaged
        def readable(row, series: nil)
          yield
        rescue DamagedData => error
          series ||= @codec.series.load[row[:series_id]]
          host = @codec.hosts.load[row[:host_id]]
          skipped = SkippedRow.new(at_s: row[:start_s], host:, kind: :stored, name: series&.name,
            reason: error.message)
          @skipped.add([skipped])
          nil
        end

        def span(db, seconds, from_s, to_s = nil)
          rows = db[:windows].where(seconds:).where { start_s >= from_s }
          to_s ? rows.where { start_s < to_s } : rows
        end

        def range_rows(db, range, ids)
          span(db, range.seconds, range.from_s, range.to_s).where(ids)
        end

        # Deletes and inserts replaced rows: one statement for many, in standard SQL.
        def merge_some(db, seconds, windows)
          by_key = windows.to_h { |window| [[window.start_s, *@codec.key(window)], window] }
          rows = stored(db, seconds, by_key)
          db[:windows].where(id: rows.map { |_, row| row[:id] }).delete
          insert(db, by_key.map { |key, window| rows[key] ? merged(rows[key], window) : @codec.row(window) })
          return if @host_sums.nil? || seconds == Tier::FINEST
          @host_sums.add(db, seconds, by_key.map { |key, window| [@codec.row(window), !rows[key]] })
        end

        # @return [Hash{Array => Hash}] existing rows by key
        def stored(db, seconds, by_key)
          by_column = [:start_s, *KEY].zip(by_key.keys.transpose.map(&:uniq)).to_h
          by_column = by_column.slice(:start_s, :host_id) if by_key.size > 1
          rows = db[:windows].where(seconds:, **by_column)
          rows.to_h { |row| [row.values_at(:start_s, *KEY), row] }.slice(*by_key.keys)
        end

        # An unreadable row is lost: the new one replaces it.
        def merged(row, window)
          readable(row, series: window.series) { @codec.merged_row(row, window) } || @codec.row(window)
        end

        # @param rows [Array<Array>] see WindowCodec#row
        def insert(db, rows)
          db[:windows].import(WindowCodec::COLUMNS, rows, slice: INSERT_SLICE)
        end
      end

      # Sums of windows longer than a minute over all hosts, so that a question about a fleet reads as much as
      # one about a single host. The roll-up writes them with the windows. What comes later is in rows of its
      # own, one for each host, until it is pruned: commits of two hosts then never change the same row.
      class WindowRows::HostSums
        KEY = %i[start_s series_id setting_id late_host_id].freeze
        NUMBERS = [:count, :errors, *Window::SUMS].freeze
        COLUMNS = [:seconds, *KEY, :windows, :min_host_id, :max_host_id, *NUMBERS, *Window::HISTOGRAMS].freeze
        # In place of the late host.
        ROLLED = 0
        private_constant :KEY, :NUMBERS, :ROLLED

        # Whether they have all that is asked for.
        # @param ids [Hash{Symbol => Array<Integer>}] of the wanted windows, by column
        def self.for?(range, ids, dialect)
          dialect.sums_hosts? && range.seconds != Tier::FINEST && !ids.key?(:host_id)
        end

        # Makes these windows the only ones of a span.
        # @param rows [Array<Array>] all windows of that start, see WindowCodec#row
        def replace(db, seconds, start_s, rows)
          db[:host_sums].where(seconds:, start_s:).delete
          insert(db, rows.map { |row| part(row, late: false, added: true) })
        end

        # @param rows [Array<(Array, Boolean)>] windows that came late, and whether each is a new row
        def add(db, seconds, rows)
          parts = rows.map { |row, added| part(row, late: true, added:) }
          known = stored(db, seconds, parts)
          db[:host_sums].where(id: known.map { |row| row[:id] }).delete
          insert(db, known + parts)
        end

        # Of one start.
        # @return [Integer] rows that were added up; 0 when none is of a single host
        def add_late(db)
          seconds, start_s = db[:host_sums].exclude(late_host_id: ROLLED).get(%i[seconds start_s])
          return 0 unless seconds
          rows = db[:host_sums].where(seconds:, start_s:)
          parts = rows.all.map { |row| row.merge(late_host_id: ROLLED) }
          rows.delete
          insert(db, parts)
          parts.size
        end

        def delete_before(db, seconds, before_s)
          db[:host_sums].where(seconds:).where { start_s < before_s }.delete
        end

        private

        # @return [Array<Hash>] rows with the keys of the parts
        def stored(db, seconds, parts)
          some = %i[start_s late_host_id].to_h { |name| [name, parts.map { |part| part[name] }.uniq] }
          keys = parts.to_set { |part| part.values_at(*KEY) }
          db[:host_sums].where(seconds:, **some).all.select { |row| keys.include?(row.values_at(*KEY)) }
        end

        def part(row, late:, added:)
          facts = WindowCodec::COLUMNS.zip(row).to_h
          host_id = facts.delete(:host_id)
          facts.merge(late_host_id: late ? host_id : ROLLED, windows: added ? 1 : 0, min_host_id: host_id,
            max_host_id: host_id)
        end

        # @param parts [Array<Hash>] rows, of which those of the same key are added up
        def insert(db, parts)
          sums = parts.group_by { |part| part.values_at(*KEY) }.values.map { |same| sum(same) }
          rows = sums.map { |sum| sum.values_at(*COLUMNS) }
          db[:host_sums].import(COLUMNS, rows, slice: WindowRows::INSERT_SLICE)
        end

        def sum(parts)
          return parts.first if parts.one?
          numbers = [:windows, *NUMBERS].to_h do |name|
            [name, number(parts.sum { |part| part[name].to_i })]
          end
          histograms = Window::HISTOGRAMS.to_h do |name|
            dumps = parts.map { |part| part[name] }
            [name, Sequel.blob(Histogram.load_sum(dumps.join).dump)]
          end
          hosts = {min_host_id: parts.map { |part| part[:min_host_id] }.min,
                   max_host_id: parts.map { |part| part[:max_host_id] }.max}
          {**parts.first, **numbers, **histograms, **hosts}
        rescue DamagedData # a part that can't be read is lost
          readable = parts.select { |part| readable?(part) }
          readable.empty? ? parts.last : sum(readable)
        end

        def readable?(part)
          Window::HISTOGRAMS.each { |name| Histogram.load_sum(part[name]) }
          true
        rescue DamagedData
          false
        end

        # Sequel writes no integer of more than 64 bits.
        def number(sum)
          (sum > WindowBatch::MOST) ? BigDecimal(sum) : sum
        end
      end
    end
  end
end
