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

    ROUTES = [
      read.call("PagesController#home", "/", 6),
      read.call("ProductsController#index", "/products", 18),
      read.call("OrdersController#index", any.call("/orders?page=%d", 0..19), 8),
      read.call("ReportsController#sales", "/reports/sales", 12),
      read.call("QuotesController#show", any.call("/quotes/%d", 1..200), 12),
      write.call("CartsController#update", any.call("/carts/%d", 1..200), 10),
      read.call("InventoryController#show", any.call("/inventory/%d", 1..200), 5),
      write.call("ExportsController#create", "/exports", 4),
      write.call("NotificationsController#create", "/notifications", 8),
      read.call("FeedsController#show", "/feed", 8),
      write.call("CheckoutsController#create", any.call("/checkouts/%d", 1..1000), 8, expected: [201, 500])
    ].freeze

    # About two requests of each worker at a time: somebody waits for the GVL, and CPUs are left.
    CUSTOMERS_OF_A_WORKER = 6
    PAUSES = 2

    # @param options [Options]
    # @param workers [Integer]
    # @return [LoadPlan]
    def self.plan(options, workers:)
      LoadPlan.new(customers: CUSTOMERS_OF_A_WORKER * workers, pauses: PAUSES, seconds: options.seconds,
        rate: options.rate)
    end

    # For `holdup advise`: requests that wait for others nearly all the time. On any machine, and beside
    # anything else that runs there, threads that are too few make them wait for a thread.
    RATES = [
      read.call("ShippingController#show", any.call("/shipping/%d", 1..200), 4),
      read.call("QuotesController#show", any.call("/quotes/%d", 1..200), 1)
    ].freeze
  end
end
