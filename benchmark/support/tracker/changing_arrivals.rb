# frozen_string_literal: true

require "holdup/loader"
require_relative "page_deck"

module Bench
  # Poisson arrivals whose rate may change: independent users, of whom there are more at noon. The same seed
  # gives the same traffic.
  class ChangingArrivals
    include Enumerable

    # Requests per second at a time in seconds since the start: once from `least` to `most` and back.
    Day = Data.define(:least, :most, :seconds) do
      def call(at_s)
        least + (most - least) * (1 - Math.cos(2 * Math::PI * at_s / seconds)) / 2
      end
    end

    # @param rate [Numeric] requests per second, always
    # @return [ChangingArrivals]
    def self.steady(routes, rate:, seconds:, seed:)
      new(routes, rate: ->(_at_s) { rate }, most: rate, seconds:, seed:)
    end

    # @param least [Numeric] requests per second at its begin and end; `most`: in its middle
    # @return [ChangingArrivals]
    def self.day(routes, least:, most:, seconds:, seed:)
      new(routes, rate: Day.new(least:, most:, seconds:), most:, seconds:, seed:)
    end

    # @param rate [#call] requests per second at a time, never above `most`
    def initialize(routes, rate:, most:, seconds:, seed:)
      @routes = routes
      @rate = rate
      @most = most
      @seconds = seconds
      @seed = seed
    end

    # Thinning (Lewis and Shedler 1979): arrivals at the highest rate, of which each stays with the share that
    # its moment's rate has of that.
    # @yieldparam arrival [Holdup::Lab::Load::Arrivals::Arrival] in order of time
    # @return [Enumerator] without a block
    def each
      return to_enum unless block_given?
      random = Random.new(@seed)
      deck = PageDeck.new(@routes, random: Random.new(@seed))
      at_s = gap_s(random)
      while at_s < @seconds
        if random.rand * @most < @rate.call(at_s)
          route, path = deck.draw
          yield Holdup::Lab::Load::Arrivals::Arrival.new(at_ns: (at_s * 1e9).round, route:, path:)
        end
        at_s += gap_s(random)
      end
    end

    private

    def gap_s(random) = -Math.log(1 - random.rand) / @most
  end
end
