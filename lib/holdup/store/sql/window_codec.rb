# frozen_string_literal: true

require "sequel/core"

module Holdup
  module Store
    class Sql
      # A window as a row and back. Numbers are columns, so that SQL can add them; histograms are blobs.
      class WindowCodec
        ORIGIN = %i[seconds start_s series_id setting_id host_id].freeze
        COLUMNS = [*ORIGIN, :count, :errors, *Window::SUMS, *Window::HISTOGRAMS].freeze

        # The start of each histogram, with count and sum.
        HEADS = Window::HISTOGRAMS.to_h { |name|
          [name, Sequel.function(:substr, name, 1, Histogram::Codec::HEAD_BYTES).as(name)]
        }.freeze

        attr_reader :series, :settings, :hosts

        def initialize(connection)
          @series = Catalog.new(connection, :series,
            encode: method(:encode_series),
            decode: method(:decode_series))
          @settings = Catalog.new(connection, :settings,
            encode: ->(setting) { [{fingerprint: setting.fingerprint}, {attributes: setting.to_json}] },
            decode: ->(row) { Setting.parse(row[:attributes]) })
          @hosts = Catalog.new(connection, :hosts,
            encode: ->(name) { [{name:}, {}] },
            decode: ->(row) { row[:name].freeze })
        end

        # Values in the order of COLUMNS.
        def row(window)
          histograms = Window::HISTOGRAMS.map { |name| Sequel.blob(window.histograms[name].dump) }
          [window.seconds, window.start_s, *key(window), window.count, window.errors,
            *window.sums.values_at(*Window::SUMS), *histograms]
        end

        # The same, of the sum of a stored row and a window of the same origin.
        # @raise [DamagedData]
        def merged_row(row, window)
          histograms = Window::HISTOGRAMS.map do |name|
            Sequel.blob(Histogram::Codec.merge(row[name], window.histograms[name]))
          end
          counts = [row[:count] + window.count, row[:errors] + window.errors]
          sums = Window::SUMS.map { |name| row[name] + window.sums[name] }
          [*row.values_at(*ORIGIN), *counts, *sums, *histograms]
        end

        # Columns to read for a window: these histograms, and the heads of the others.
        def columns(histograms)
          (COLUMNS - HEADS.keys) + HEADS.map { |name, head| histograms.include?(name) ? name : head }
        end

        # Frozen parts, which a window does not copy.
        def window(row, histograms = Window::HISTOGRAMS)
          read = {}
          Window::HISTOGRAMS.each do |name|
            bytes = row[name]
            read[name] = histograms.include?(name) ? Histogram.load(bytes) : Histogram::Codec.head(bytes)
          end
          Window.new(start_s: row[:start_s], seconds: row[:seconds], **origin(row), count: row[:count],
            errors: row[:errors], sums: row.slice(*Window::SUMS).freeze, histograms: read.freeze)
        end

        # Identifies a window in its span.
        def key(window)
          [@series.id(window.series), @settings.id(window.setting), @hosts.id(window.host)]
        end

        # After a failed transaction, whose ids are invalid.
        def forget
          [@series, @settings, @hosts].each(&:forget)
        end

        private

        def origin(row)
          {series: @series.value(row[:series_id]), setting: @settings.value(row[:setting_id]),
           host: @hosts.value(row[:host_id])}
        end

        def encode_series(series)
          [{kind: series.kind.name, name: series.name, queue: series.queue.to_s}, {}]
        end

        def decode_series(row)
          queue = row[:queue] unless row[:queue].empty?
          Series.new(kind: row[:kind].to_sym, name: row[:name], queue:)
        end

        # A small table of values that windows refer to (series, settings, hosts), cached both ways.
        class Catalog
          # @param encode [Proc] value => [Hash of the columns that identify it, Hash of the others]
          def initialize(connection, table, encode:, decode:)
            @connection = connection
            @table = table
            @encode = encode
            @decode = decode
            forget
          end

          # @return [Integer] the value's id; a new value is added
          def id(value)
            forget unless @epoch == @connection.epoch
            @ids[value] ||= find(value) || add(value)
          end

          def value(id)
            forget unless @epoch == @connection.epoch
            @values[id] || load[id] || raise(DamagedData.new("row #{id} of #{@table} is damaged"))
          end

          # @return [Hash{Integer => Object}] everything that can be read, as of this snapshot
          def load
            @connection.once(@table) { read }
          end

          # A failed transaction takes its new ids back; a new connection may lead to another file.
          def forget
            @epoch = @connection.epoch
            @ids = {}
            @values = {}
          end

          private

          def read
            rows = @connection.read { |db| db[@table].all }
            forget unless @epoch == @connection.epoch
            @values = rows.to_h { |row| [row[:id], @values[row[:id]] || decode_or_nil(row)] }.compact
          end

          def decode_or_nil(row)
            @decode.call(row)
          rescue DamagedData
            nil
          end

          def find(value)
            @connection.read { |db| db[@table].where(@encode.call(value).first).get(:id) }
          end

          def add(value)
            @connection.write do |db|
              added = find(value) if @connection.dialect.lock_catalogs(db)
              added || db[@table].insert(@encode.call(value).reduce(:merge))
            end
          end
        end
      end
    end
  end
end
