# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Adds up the pairs of blocks into rows as a query of `windows` has them, see Spans::Sums.
      class PairSums
        # Of one setting and host, and perhaps step. `group`: what stays apart; `column`: a histogram or a
        # sum; `windows`: how many, from `first_s` to `last_s`
        Sum = Data.define(:group, :column, :setting_id, :host_id, :ns, :windows, :first_s, :last_s)
        # The same of several ranges. `host_id`: nil for several hosts
        SpanTotal = Struct.new(:column, :host_id, :ns, :covered_s, :start_s, :end_s) do
          # @param sum [Sum] of windows of so many seconds
          def self.of(sum, seconds)
            new(sum.column, sum.host_id, sum.ns, sum.windows * seconds, sum.first_s, sum.last_s + seconds)
          end

          def add(sum, seconds)
            self.host_id = nil if sum.host_id != host_id
            self.ns += sum.ns
            self.covered_s += sum.windows * seconds
            self.start_s = [start_s, sum.first_s].min
            self.end_s = [end_s, sum.last_s + seconds].max
          end
        end
        # The column of a pair's number.
        COLUMNS = {pair: :stalled, **Window::PAIR_SUMS}.freeze
        private_constant :COLUMNS

        # @param series [Hash{Integer => Series}] the wanted pairs by id
        # @param step_s [Integer, nil] pairs that start in different steps stay apart
        # @yieldparam id [Integer] of a wanted pair
        # @yieldreturn [Integer, nil] what stays apart
        def initialize(series, step_s:)
          @step_s = step_s
          @totals = {}
          groups = series.map { |id, one| [id, [yield(id), COLUMNS.fetch(one.kind)]] }
          @groups = groups.map(&:last).uniq
          places = @groups.each_with_index.to_h
          @places = groups.each_with_object([]) { |(id, group), all| all[id] = places[group] }
        end

        # @param row [Hash] start_s, setting_id, host_id
        # @param numbers [Array<Integer>] see PairBlocks#each_packed
        def add(row, numbers)
          start_s = row[:start_s]
          key = [row[:setting_id], row[:host_id], @step_s && start_s / @step_s]
          totals = @totals[key] ||= BlockTotals.new(@groups.size)
          totals.add(@places, numbers, start_s)
        end

        # @yieldparam sum [Sum]
        def each
          @totals.each do |(setting_id, host_id, _step), totals|
            @groups.each_with_index do |(group, column), place|
              next if totals.windows[place].zero?
              yield Sum.new(group, column, setting_id, host_id, *totals.at(place))
            end
          end
        end

        # Of one setting, host and step, by place of the group: ns, how many windows, and the first and the
        # last start. Blocks come by time.
        class BlockTotals
          attr_reader :windows

          def initialize(groups)
            @ns = Array.new(groups, 0)
            @windows = Array.new(groups, 0)
            @first_s = Array.new(groups)
            @last_s = Array.new(groups)
          end

          def at(place) = [@ns[place], @windows[place], @first_s[place], @last_s[place]]

          # The loop of the longest reads: a day has half a million pairs.
          def add(places, numbers, start_s)
            index = 0
            while index < numbers.size
              place = places[numbers[index]]
              if place
                @ns[place] += numbers[index + 1]
                @windows[place] += 1
                @first_s[place] ||= start_s
                @last_s[place] = start_s
              end
              index += 2
            end
          end
        end
        private_constant :BlockTotals
      end
    end
  end
end
