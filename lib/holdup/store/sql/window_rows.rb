# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Windows in their table, and the operations that Rollup and Prune ask of a store.
      class WindowRows
        KEY = %i[series_id setting_id host_id].freeze
        INSERT_SLICE = 50 # rows a statement: SQLite parses a short one faster than it would a megabyte

        # @param connection [Connection]
        # @param codec [WindowCodec]
        # @param skipped [SkippedRows] takes what is damaged
        def initialize(connection, codec, skipped)
          @connection = connection
          @codec = codec
          @skipped = skipped
        end

        def transaction
          @connection.write { yield }
        end

        # @return [Array<Tier>] finest first
        def tiers
          @connection.read { |db| db[:tiers].order(:seconds).map { |row| Tier.new(**row) } }
        end

        def save_tier(tier)
          @connection.write { |db|
            db[:tiers].where(seconds: tier.seconds).update(rolled_to_s: tier.rolled_to_s,
              kept_from_s: tier.kept_from_s)
          }
        end

        # @return [Integer, nil] first start at or after that second
        def first_start(seconds, from_s)
          @connection.read { |db| span(db, seconds, from_s).min(:start_s) }
        end

        # Asked tier by tier, because the index begins with the tier and the table is long.
        # @return [Array<Integer>] first and last start of all, empty without rows
        def extent
          @connection.read { |db|
            tiers.flat_map { |tier|
              [span(db, tier.seconds, 0).min(:start_s),
                span(db, tier.seconds, 0).max(:start_s)]
            }
          }.compact.minmax.compact
        end

        # For roll-up, which one damaged row must not stop.
        # @return [Array<Window>]
        def between(seconds, from_s, to_s)
          @connection.write do |db|
            span(db, seconds, from_s, to_s).order(:start_s, :series_id).all.filter_map { |row|
              readable(row) { @codec.window(row) }
            }
          end
        end

        # @param series_ids [Array<Integer>, nil] nil for all
        # @param histograms [Array<Symbol>] see Sql#windows
        # @return [Enumerator<Window>]
        def each(seconds, from_s, to_s, series_ids: nil, histograms: Window::HISTOGRAMS)
          return to_enum(:each, seconds, from_s, to_s, series_ids:, histograms:) unless block_given?
          @connection.read do |db|
            span(db, seconds, from_s, to_s, series_ids).select(*@codec.columns(histograms)).order(:start_s,
              :series_id).each { |row|
              yield @codec.window(row, histograms)
            }
          end
        end

        # @param stretch [ReadPlan::TierRange]
        # @param series_ids [Array<Integer>, nil] nil for all
        # @yieldparam stall [WindowStall] of each window
        def each_stall(stretch, series_ids:)
          @connection.read do |db|
            found = span(db, stretch.seconds, stretch.from_s, stretch.to_s, series_ids)
            found.select(*WindowCodec::STALL).order(:start_s, :series_id).each { |row| yield @codec.stall(row) }
          end
        end

        # From the index alone.
        # @return [Array<(Integer, Setting)>] each start of windows of a setting
        def setting_starts(stretch, series_ids:)
          @connection.read do |db|
            span(db, stretch.seconds, stretch.from_s, stretch.to_s,
              series_ids).distinct.select_map(%i[start_s setting_id]).map { |at_s, id|
              [at_s, @codec.settings.value(id)]
            }
          end
        end

        # Adds windows to the rows that exist.
        def merge(windows)
          @connection.write do |db|
            windows.group_by { |window| [window.seconds, window.start_s] }
              .each { |(seconds, start_s), group|
              merge_span(db, span(db, seconds, start_s, start_s + 1),
                group)
            }
          end
        end

        # Makes these the only rows of one span.
        def replace(seconds, start_s, windows)
          @connection.write do |db|
            span(db, seconds, start_s, start_s + 1).delete
            insert(db, windows)
          end
        end

        # @return [Integer] rows deleted
        def delete_before(seconds, before_s)
          @connection.write { |db| span(db, seconds, 0, before_s).delete }
        end

        def bytes
          @connection.use { |db| @connection.dialect.bytes(db) }
        end

        private

        # @return [Object, nil] what the block gives; nil when the row is damaged
        def readable(row, series: nil)
          yield
        rescue DamagedData => error
          series ||= @codec.series.load[row[:series_id]]
          host = @codec.hosts.load[row[:host_id]]
          @skipped.add([SkippedRow.new(at_s: row[:start_s], host:, kind: :stored, name: series&.name,
            reason: error.message)])
          nil
        end

        def span(db, seconds, from_s, to_s = nil, series_ids = nil)
          found = db[:windows].where(seconds:).where { start_s >= from_s }
          found = found.where { start_s < to_s } if to_s
          series_ids ? found.where(series_id: series_ids) : found
        end

        # Replaced rows are deleted and written anew: one statement for many, and no dialect's own way to
        # upsert.
        def merge_span(db, span, windows)
          span = span.where(KEY.zip(@codec.key(windows.first)).to_h) if windows.size == 1
          rows = span.all.to_h { |row| [row.values_at(*KEY), row] }
          known, added = windows.partition { |window| rows.key?(@codec.key(window)) }
          db[:windows].where(id: known.map { |window| rows[@codec.key(window)][:id] }).delete
          insert(db, added + known.map { |window| merged(rows[@codec.key(window)], window) })
        end

        # What can't be read any more is lost: the new takes its place.
        def merged(row, window)
          stored = readable(row, series: window.series) {
            @codec.window_of(row, series: window.series, setting: window.setting, host: window.host)
          }
          stored ? stored.merge(window) : window
        end

        def insert(db, windows)
          db[:windows].import(WindowCodec::COLUMNS, windows.map { |window| @codec.row(window) },
            slice: INSERT_SLICE)
        end
      end
    end
  end
end
