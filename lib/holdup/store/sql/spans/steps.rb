# frozen_string_literal: true

require "sequel/core"

module Holdup
  module Store
    class Sql
      # One number of each step, see Reader#step_sums.
      class Spans::Steps < Spans::Sums
        # Stands for all series, and is not shown.
        ALL = Series.new(kind: :request, name: "(all)")
        private_constant :ALL

        def initialize(connection, codec, step_s:, of:, apart:, pairs:)
          histograms, numbers = of.partition { |name| Window::HISTOGRAMS.include?(name) }
          super(connection, codec, step_s:, settings: nil, together: ALL, by_host: false, apart:,
                                   histograms: [], heads: histograms, numbers:, pairs:)
        end

        # @return [Hash{Array(String, Setting) => Hash{Integer => Integer}}]
        def to_h
          @rows.to_h do |(id, setting_id), steps|
            name = @codec.series.value(id).public_send(@apart) if id
            [[name, @codec.settings.value(setting_id)], steps]
          end
        end

        private

        def columns
          @columns ||= [
            *@numbers.map { |name| Sequel.function(:sum, name).as(name) },
            *@histograms.map { |name| @connection.dialect.concatenated(name).as(name) },
            Sequel.function(:min, :start_s).as(:min_start_s)
          ]
        end

        def figures(_table) = []

        def merge(row, _seconds)
          times = @histograms.sum do |name|
            Histogram::Codec.load_head_sum(@connection.dialect.concatenation(row[name])).sum
          end
          number = times + @numbers.sum { |name| row[name].to_i }
          count(row[:one_id], row[:setting_id], row[:min_start_s], number)
        end

        def merge_pair(pair, _seconds)
          wanted = @numbers.include?(pair.column) || @histograms.include?(pair.column)
          count(pair.group, pair.setting_id, pair.first_s, wanted ? pair.ns : 0)
        end

        def count(id, setting_id, start_s, number)
          steps = @rows[[id, setting_id]] ||= Hash.new(0)
          steps[start_s / @step_s * @step_s] += number
        end
      end
    end
  end
end
