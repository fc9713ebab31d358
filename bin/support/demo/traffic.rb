# frozen_string_literal: true

require "holdup/lab/load"

module Demo
  # What the storefront's customers do. A label is the name under which Holdup must report the requests.
  module Traffic
    any = ->(template, range) { ->(random) { format(template, random.rand(range)) } }
    read = ->(label, path, weight) { Holdup::Lab::Route.new(label:, path:, weight:) }
    write = ->(label, path, weight, **options) { Holdup::Lab::Route.new(label:, path:, weight:, verb: "POST", **options) }

    ROUTES = [
      read.call("PagesController#home", "/", 6),
      read.call("ProductsController#index", "/products", 18),
      read.call("OrdersController#index", any.call("/orders?page=%d", 0..19), 8),
      read.call("ReportsController#sales", "/reports/sales", 10),
      read.call("QuotesController#show", any.call("/quotes/%d", 1..200), 12),
      write.call("CartsController#update", any.call("/carts/%d", 1..200), 10),
      read.call("InventoryController#show", any.call("/inventory/%d", 1..200), 8),
      write.call("ExportsController#create", "/exports", 4),
      write.call("NotificationsController#create", "/notifications", 8),
      read.call("FeedsController#show", "/feed", 8),
      write.call("CheckoutsController#create", any.call("/checkouts/%d", 1..1000), 8, expected: [201, 500])
    ].freeze

    # @param url [String]
    # @param options [Options]
    # @param progress [#call]
    # @return [Hash<String, Holdup::Lab::Outcome>]
    def self.send_to(url, options, progress:)
      arrivals = Holdup::Lab::Arrivals.new(routes: ROUTES, rate: options.rate, seconds: options.seconds, seed: options.seed)
      Holdup::Lab::Load.new(target: Holdup::Lab::Target.new(url), arrivals:, progress:).run
    end
  end
end
