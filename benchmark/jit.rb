# frozen_string_literal: true

require "holdup/lab/jit"
require "holdup/lab/jit/report"
require "holdup/lab/sweep"
require "holdup/reports/page_text"
require_relative "support/bench"
require_relative "support/shop"

module Bench
  # `holdup lab jit` on the storefront: what YJIT does for it, off, at boot, after boot, with little memory, and on the other
  # Ruby that the tests know.
  class Jit
    COMMAND = %w[bundle exec puma -C config/puma.rb].freeze
    REQUESTS = ["70 /", "15 /products", "8 /orders?page=3", "2 /quotes/7", "2 /reports/sales"].freeze
    RATE = 50
    MEM_SIZE_MIB = 24
    WIDTH = 100

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @warm_up_s = quick ? [1, 5, 5] : [2, 15, 20]
    end

    # @return [Result]
    def call
      result = Shop.open { |shop| sweep(shop) }
      text = Holdup::Reports::PageText.new(Holdup::Lab::Jit::Report.new(result, Holdup::Lab::Jit::Comparison.new(result)).page, width: WIDTH).call
      Result.new(title: "What YJIT does for the storefront", about: "#{about}\n\n```\n#{text.strip}\n```", tables: [])
    end

    private

    def sweep(shop)
      ledger = Holdup::Lab::Sweep::Ledger.new(File.join(shop.folder, "sweep.json"), plan(shop))
      Holdup::Lab::Sweep.new(ledger, env: ENV.to_h, progress: ->(number, of, step, **) { warn("bench: #{number} of #{of}") if step == :boot }).call
    end

    def plan(shop)
      arms = arms(shop.env)
      Holdup::Lab::Sweep::Plan.new(command: COMMAND, root: Shop::APP, requests: REQUESTS, arms: Holdup::Lab::Sweep::Plan.ordered(arms, arms.first), rates: [RATE],
        seconds: @seconds, rounds: @rounds, warm_up_s: @warm_up_s)
    end

    # The storefront's own settings leave it to the arm.
    def arms(env)
      Holdup::Lab::Jit.arms(ENV.to_h, mem_size: MEM_SIZE_MIB, rubies: [other_ruby].compact)
        .map { |arm| arm.with(extra: {**env, "HOLDUP_ENABLED" => "true", "STOREFRONT_WORKERS" => "1", "STOREFRONT_YJIT" => "0", **arm.extra}) }
    end

    # bin/setup builds it; without it there are three arms.
    def other_ruby
      cache, version = ENV.values_at("HOLDUP_CACHE", "HOLDUP_SECOND")
      path = "#{cache}/ruby-#{version}/bin/ruby"
      Holdup::Lab::Jit::OtherRuby.parse("#{path},BUNDLE_PATH=#{cache}/gems/ruby-#{version}") if version && File.executable?(path)
    end

    def about
      "The storefront in Puma, one process, under an open load of #{RATE} requests a second; #{@rounds} rounds of #{@seconds} s for each arm in changing order, each in " \
        "a fresh server after at most #{@warm_up_s} s of warm-up."
    end
  end
end
