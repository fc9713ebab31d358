# frozen_string_literal: true

require "holdup/loader"
require_relative "shop"

module Bench
  # `holdup lab jit` on the storefront: off, at boot and after boot, on our Ruby and on the other one that the
  # tests know.
  class ShopSweep
    COMMAND = %w[bundle exec puma -C config/puma.rb].freeze
    REQUESTS = ["70 /", "15 /products", "8 /orders?page=3", "2 /quotes/7", "2 /reports/sales"].freeze
    RATE = 50

    # @param shop [Shop]
    # @param rounds [Integer]
    # @param seconds [Numeric] of each arm and round
    # @param warm_up_s [Numeric] at most
    # @param mem_size [Integer, nil] MiB for one more arm
    def initialize(shop, rounds:, seconds:, warm_up_s:, mem_size: nil)
      @shop = shop
      @mem_size = mem_size
      @spans = {rounds:, seconds:, warm_up_s:}
    end

    # @return [Holdup::Lab::Jit::OtherRuby, nil] that bin/setup builds
    def other_ruby
      cache, version = ENV.values_at("HOLDUP_CACHE", "HOLDUP_SECOND")
      path = "#{cache}/ruby-#{version}/bin/ruby"
      if version && File.executable?(path)
        @other_ruby ||= Holdup::Lab::Jit::OtherRuby.parse("#{path},BUNDLE_PATH=#{cache}/gems/ruby-#{version}")
      end
    end

    # @param store [#commit, nil] gets the measurements as well
    # @return [Holdup::Lab::Sweep::ProgressFile] with all that was measured
    def call(store: nil)
      ledger = Holdup::Lab::Sweep::ProgressFile.new(File.join(@shop.folder, "sweep.json"), plan)
      Holdup::Lab::Sweep.new(ledger, env: ENV.to_h, store:, progress: ->(number, of, step, **) {
        warn("bench: #{number} of #{of}") if step == :boot
      }).call.failure&.then { |error| raise error }
      ledger
    end

    private

    def plan
      Holdup::Lab::Sweep::SweepPlan.new(command: COMMAND, root: Shop::APP, requests: REQUESTS,
        arms: Holdup::Lab::Sweep::SweepPlan.ordered(arms, arms.first), rates: [RATE], **@spans)
    end

    # The storefront's own settings leave it to the arm.
    def arms
      @arms ||= Holdup::Lab::Jit.arms(ENV.to_h, mem_size: @mem_size, rubies: [other_ruby].compact)
        .map { |arm|
        arm.with(extra: {**@shop.env, "HOLDUP_ENABLED" => "true", "STOREFRONT_WORKERS" => "1",
                                      "STOREFRONT_YJIT" => "0", **arm.extra})
      }
    end
  end
end
