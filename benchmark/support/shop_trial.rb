# frozen_string_literal: true

require "holdup/loader"
require_relative "cores"
require_relative "shop"

module Bench
  # The storefront in Puma as any setting of processes and threads, under an open load, measured by Holdup.
  class ShopTrial
    # `outcome`: Holdup::Lab::Trial::TrialResult; `other_cpus`: CPUs that everything else on the machine used
    # meanwhile
    TrialReading = Data.define(:outcome, :other_cpus)

    # @return [Holdup::Lab::Route] a label is the name that Holdup gives
    def self.read(label, path, weight)
      Holdup::Lab::Route.new(label:, path:, weight:)
    end
    private_class_method :read

    # Requests without planted mistakes (what waits for a lock or for a pool's only connection is congestion
    # that no model knows), so many of each that about a third of their own time is Ruby.
    SMOOTH = [
      read("PagesController#home", "/", 70),
      read("ProductsController#index", "/products", 15),
      read("OrdersController#index", ->(random) { "/orders?page=#{random.rand(20)}" }, 8),
      read("QuotesController#show", ->(random) { "/quotes/#{random.rand(200)}" }, 2)
    ].freeze
    # The same with one that computes for long while others wait.
    UNEVEN = [*SMOOTH, read("ReportsController#sales", "/reports/sales", 2)].freeze
    COMMAND = [RbConfig.ruby, *Fresh::LOAD_PATH, Gem.bin_path("puma", "puma"), "-C", "config/puma.rb"].freeze

    # @param shop [Shop]
    # @param routes [Array<Holdup::Lab::Route>]
    # @param warm_up_s [Numeric] at most
    def initialize(shop, routes:, warm_up_s:)
      @shop = shop
      @trial = Holdup::Lab::Trial.new(COMMAND, routes:, env: ENV.to_h, root: Shop::APP, warm_up_s:)
    end

    # @param processes [Integer]
    # @param threads [Integer] of each
    # @param rate [Numeric] requests per second
    # @param seconds [Numeric]
    # @param seed [Integer] the same requests at the same moments for the same seed
    # @return [TrialReading]
    def call(processes, threads, rate:, seconds:, seed:)
      @trial.call(arm(processes, threads), rate:) do |session|
        busy_s = Cores.busy_s
        outcome = session.measure(rate:, seconds:, seed:)
        TrialReading.new(outcome:, other_cpus: (Cores.busy_s - busy_s - outcome.cpu_s) / outcome.seen.seconds)
      end
    end

    private

    def arm(processes, threads)
      Holdup::Lab::Arm.new(processes:, threads:,
        extra: {
          **@shop.env,
          "HOLDUP_ENABLED" => "true",
          "STOREFRONT_WORKERS" => processes.to_s,
          "STOREFRONT_THREADS" => threads.to_s
        })
    end
  end
end
