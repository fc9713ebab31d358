# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/shop_sweep"

module Bench
  # What YJIT does for the storefront, with little memory and on the other Ruby as well.
  class Jit
    # A good half of what the storefront takes when nothing limits it.
    MEM_SIZE_MIB = 8
    WIDTH = 100
    # Sixteen boots of half a minute.
    LONGEST_MIN = 10
    MIN_S = 60

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @spans = %i[rounds seconds warm_up_s].zip(quick ? [1, 5, 5] : [2, 14, 12]).to_h
    end

    # @return [Result]
    def call
      from_s = now
      result = Shop.open do |shop|
        Holdup::Lab::Sweep::SweepReport.new(ShopSweep.new(shop, mem_size: MEM_SIZE_MIB, **@spans).call)
      end
      page = Holdup::Lab::Jit::Comparison::Report.new(result, Holdup::Lab::Jit::Comparison.new(result)).page
      Result.new(
        title: "What YJIT does for the storefront",
        about: "#{about}\n\n```\n#{Holdup::View::Text.new(page, width: WIDTH).call.strip}\n```",
        tables: [],
        budgets: [Budget.new("Time that the experiment takes", LONGEST_MIN, (now - from_s) / MIN_S, "min")]
      )
    end

    private

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def about
      "The storefront in Puma, one process, under an open load of #{ShopSweep::RATE} requests a second; " \
      "#{@spans[:rounds]} rounds of #{@spans[:seconds]} s for each arm in changing order, " \
        "each in a fresh server after at most #{@spans[:warm_up_s]} s of warm-up."
    end
  end
end
