# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Reads spans of windows: finds out what lies where, and what of it is asked for. See Sql, which has
      # these methods too.
      class Spans
        # @param connection [Connection]
        # @param rows [WindowRows]
        # @param codec [WindowCodec]
        def initialize(connection, rows, codec)
          @connection = connection
          @rows = rows
          @codec = codec
        end

        # @see Sql#windows
        def windows(from_s, to_s, seconds: nil, histograms: Window::HISTOGRAMS, **filter)
          filter = SeriesFilter.new(**filter)
          Enumerator.new do |found|
            each_stretch(from_s, to_s, seconds, filter) do |stretch, series_ids|
              @rows.each(stretch.seconds, stretch.from_s, stretch.to_s, series_ids:, histograms:) { |window|
                found << window
              }
            end
          end
        end

        # @see Sql#sums
        def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil,
          histograms: Window::HISTOGRAMS, **filter)
          unless @connection.read { |db| @connection.dialect.joins?(db) }
            return SpanSum.of(windows(from_s, to_s, seconds:, **filter), step_s:, settings:, together:,
              histograms:)
          end
          sums = Sums.new(@connection, @codec, step_s:, settings:, together:, histograms:)
          each_stretch(from_s, to_s, seconds, SeriesFilter.new(**filter)) { |stretch, series_ids|
            sums.add(stretch, series_ids)
          }
          sums.to_a
        end

        # @see Sql#setting_starts
        def setting_starts(from_s, to_s, step_s:, **filter)
          found = []
          each_stretch(from_s, to_s, step_s, SeriesFilter.new(**filter)) { |stretch, series_ids|
            found.concat(@rows.setting_starts(stretch, series_ids:))
          }
          found.group_by { |at_s, setting| [at_s / step_s, setting] }.map { |(_, setting), same|
            [same.map(&:first).min, setting]
          }
        end

        # @see Sql#stalls
        def stalls(from_s, to_s, **filter)
          filter = SeriesFilter.new(**filter)
          Enumerator.new do |found|
            each_stretch(from_s, to_s, nil, filter) { |stretch, series_ids|
              @rows.each_stall(stretch, series_ids:) { |stall| found << stall }
            }
          end
        end

        private

        # One consistent state.
        def each_stretch(from_s, to_s, seconds, filter)
          @connection.read do
            series_ids = filter.all? ? nil : @codec.series.load.select { |_, series| filter.match?(series) }.keys
            unless series_ids == []
              ReadPlan.new(@rows.tiers).stretches(from_s, to_s, seconds:).each { |stretch|
                yield stretch, series_ids
              }
            end
          end
        end
      end
    end
  end
end
