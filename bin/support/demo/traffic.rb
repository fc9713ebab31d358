# frozen_string_literal: true

require "holdup/loader"
require_relative "customers"

module Demo
  # What the storefront's customers do. A label is the name under which Holdup must report the requests.
  module Traffic
    any = ->(template, range) { ->(random) { format(template, random.rand(range)) } }
    read = ->(label, path, weight) { Holdup::Lab::Route.new(label:, path:, weight:) }
    write = ->(label, path, weight, **options) do
      Holdup::Lab::Route.new(label:, path:, weight:, verb: "POST", **options)
    end

    BROWSING = [
      read.call("PagesController#home", "/", 6),
      read.call("ProductsController#index", "/products", 18),
      read.call("OrdersController#index", any.call("/orders?page=%d", 0..19), 8),
      read.call("ReportsController#sales", "/reports/sales", 12),
      read.call("QuotesController#show", any.call("/quotes/%d", 1..200), 12),
      write.call("CartsController#update", any.call("/carts/%d", 1..200), 10),
      read.call("InventoryController#show", any.call("/inventory/%d", 1..200), 5),
      write.call("ExportsController#create", "/exports", 4),
      write.call("NotificationsController#create", "/notifications", 8),
      read.call("FeedsController#show", "/feed", 8)
    ].freeze
    private_constant :BROWSING

    # Every tenth basket is declined. The first one is, so that a machine that serves few requests shows
    # an endpoint that fails too.
    FIRST_BASKET = 10

    # @return [Array<Holdup::Lab::Route>] for one load: baskets are numbered one after another
    def self.routes
      baskets = (FIRST_BASKET..).each
      checkout = Holdup::Lab::Route.new(label: "CheckoutsController#create", verb: "POST", weight: 8,
        path: ->(_random) { "/checkouts/#{baskets.next}" }, expected: [201, 500])
      [*BROWSING, checkout]
    end

    # About two requests of each worker at a time: somebody waits for the GVL, and CPUs are left.
    CUSTOMERS_OF_A_WORKER = 6
    PAUSES = 2
    # With so many, each route is requested, also where the machine takes longer for them.
    ANSWERS = 200

    # @param options [Options]
    # @param workers [Integer]
    # @return [LoadPlan]
    def self.plan(options, workers:)
      answers = options.rate ? [ANSWERS, options.rate * options.seconds].min : ANSWERS
      LoadPlan.new(customers: CUSTOMERS_OF_A_WORKER * workers, pauses: PAUSES, seconds: options.seconds,
        rate: options.rate, answers:)
    end

    # For `holdup advise`: requests that wait for others nearly all the time. On any machine, and beside
    # anything else that runs there, threads that are too few make them wait for a thread.
    RATES = [
      read.call("ShippingController#show", any.call("/shipping/%d", 1..200), 4),
      read.call("QuotesController#show", any.call("/quotes/%d", 1..200), 1)
    ].freeze
  end
end
