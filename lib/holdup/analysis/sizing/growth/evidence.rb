# frozen_string_literal: true

require_relative "../cost"
require_relative "groups"

module Holdup
  module Analysis
    module Sizing
      # The units as they speak for or against some growth g: if it is the true one, a unit's running time without its share of
      # g, log(running / (1 + g log2(in flight))), has nothing to do any more with how many there were when it began. What is
      # left of the connection (the score) is added up for blocks of time.
      class Growth::Evidence
        # @return [Array<Float>] how often the units in flight had doubled from one, for each unit
        attr_reader :doublings

        # @return [Integer] units that can be compared
        attr_reader :size

        # @param profiles [Array<UnitProfile>]
        # @yieldparam profile [UnitProfile]
        # @yieldreturn [Integer] the time that may grow; units without any are left out
        def initialize(profiles)
          some = profiles.select { |profile| yield(profile).positive? }
          @size = some.size
          @groups = Growth::Groups.new(some)
          @doublings = some.map { |profile| Cost.doublings(profile.in_flight) }
          @weights = some.map(&:weight)
          @before = @groups.centred(some.map { |profile| Cost.doublings(1 + profile.company) })
          @logs = some.map { |profile| Math.log(yield(profile)) }
        end

        # @param growth [Float]
        # @return [Array<Float>] the score of each block: above 0 where running times grew more than that
        def scores(growth)
          rest = @groups.centred(Array.new(size) { |index| @logs[index] - Math.log(1 + growth * @doublings[index]) })
          @groups.by_block { |index| @before[index] * rest[index] }
        end

        # Blocks in which company hardly varies say nothing; one in which it varies much says most.
        # @return [Float] how many equal blocks would say as much
        def blocks
          each = @groups.by_block { |index| @before[index]**2 }
          each.sum.zero? ? 0.0 : each.sum**2 / each.sum { |one| one**2 }
        end

        # @return [Float] how far the company in which units begin tells that in which they run: standard deviation, in doublings
        def spread
          square = mean_of { |index| @before[index]**2 }
          square.zero? ? 0.0 : mean_of { |index| @before[index] * @doublings[index] }.abs / Math.sqrt(square)
        end

        # @yieldparam index [Integer] of a unit
        # @return [Float] over the units that the sample stands for
        def mean_of = @groups.by_block { |index| yield(index) }.sum / @weights.sum

        # @param growth [Float]
        # @return [Float] ns that a unit takes alone
        def alone_ns(growth) = mean_of { |index| Math.exp(@logs[index]) / (1 + growth * @doublings[index]) }
      end
    end
  end
end
