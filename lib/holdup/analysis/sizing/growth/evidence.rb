# frozen_string_literal: true

require_relative "load_before"

module Holdup
  module Analysis
    module Sizing
      # The units as they speak for or against some growth g: if it is the true one, a unit's running time without its share of
      # g, log(running / (1 + g (in flight - 1))), has nothing to do any more with how busy the process was before. What is
      # left of the connection (the score) is added up for blocks of time, which count as independent.
      #
      # Everything is compared within a series only: where heavy endpoints are called when there is much to do, units are
      # heavier then without costing more.
      class Growth::Evidence
        NS = 1_000_000_000
        # At least so many blocks where the recording is long enough for them, of ten minutes where it is longer.
        BLOCKS = 30
        BLOCK_S = (60.0..600.0)

        # @return [Array<Float>] units in flight beside each unit
        attr_reader :others

        # @return [Integer] units that can be compared
        attr_reader :size

        # @param profiles [Array<UnitProfile>]
        # @yieldparam profile [UnitProfile]
        # @yieldreturn [Integer] the time that may grow; units without any are left out
        def initialize(profiles)
          rows = profiles.group_by(&:process).each_value.flat_map { |own| rows_of(own.sort_by(&:start_ns)) }
            .filter_map { |profile, before| [profile, before, yield(profile)] if before && yield(profile).positive? }
          @profiles = rows.map(&:first)
          @size = rows.size
          @others = @profiles.map { |profile| [profile.in_flight - 1, 0.0].max }
          @weights = @profiles.map(&:weight)
          @series = numbered(@profiles.map(&:series))
          @before = centred(rows.map { |row| Math.log([row[1], 1.0].max) }) # so that one overload is not all the evidence
          @logs = rows.map { |row| Math.log(row.last) }
          @blocks = numbered(@profiles.map { |profile| ((profile.start_ns - first_ns) / block_ns).floor })
        end

        # @param growth [Float]
        # @return [Array<Float>] the score of each block: above 0 where running times grew more than that
        def scores(growth)
          rest = centred(Array.new(size) { |index| @logs[index] - Math.log(1 + growth * @others[index]) })
          scores = Array.new(@blocks.max.to_i + 1, 0.0)
          size.times { |index| scores[@blocks[index]] += @weights[index] * @before[index] * rest[index] }
          scores
        end

        # Blocks in which the load hardly differs from the mean say nothing; one in which it differs much says most.
        # @return [Float] how many equal blocks would say as much
        def blocks
          each = Array.new(@blocks.max.to_i + 1, 0.0)
          size.times { |index| each[@blocks[index]] += @weights[index] * @before[index]**2 }
          each.sum.zero? ? 0.0 : each.sum**2 / each.sum { |one| one**2 }
        end

        # @return [Float] how far the load before tells the units in flight, standard deviation in units
        def spread
          square = mean_of { |index| @before[index]**2 }
          square.zero? ? 0.0 : mean_of { |index| @before[index] * @others[index] }.abs / Math.sqrt(square)
        end

        # @yieldparam index [Integer] of a unit
        # @return [Float] over the units that the sample stands for
        def mean_of
          total = 0.0
          size.times { |index| total += @weights[index] * yield(index) }
          total / @weights.sum
        end

        # @param growth [Float]
        # @return [Float] ns that a unit takes alone
        def alone_ns(growth) = mean_of { |index| Math.exp(@logs[index]) / (1 + growth * @others[index]) }

        private

        def rows_of(own) = own.zip(Growth::LoadBefore.new(own).to_a)

        def numbered(values)
          numbers = {}
          values.map { |value| numbers[value] ||= numbers.size }
        end

        # Each value without the mean of its series.
        def centred(values)
          weights, totals = Array.new(2) { Array.new(@series.max.to_i + 1, 0.0) }
          size.times do |index|
            weights[@series[index]] += @weights[index]
            totals[@series[index]] += @weights[index] * values[index]
          end
          Array.new(size) { |index| values[index] - totals[@series[index]] / weights[@series[index]] }
        end

        def first_ns = @first_ns ||= @profiles.map(&:start_ns).min

        def block_ns = @block_ns ||= ((@profiles.map(&:start_ns).max - first_ns).fdiv(NS) / BLOCKS).clamp(BLOCK_S) * NS
      end
    end
  end
end
