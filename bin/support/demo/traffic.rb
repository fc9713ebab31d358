# frozen_string_literal: true

require "holdup/loader"

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

    # Processes that have just booted load code, compile it and open connections. A third of the traffic at
    # first keeps that from being the whole story; these requests count as well.
    WARM_UP_SECONDS = 3
    WARM_UP_SHARE = 1 / 3r

    # @param url [String]
    # @param options [Options]
    # @param progress [#call]
    # @return [Hash<String, Holdup::Lab::Exchange::Outcome>]
    def self.send_to(url, options, progress:)
      warm_up = arrivals(options.rate * WARM_UP_SHARE, WARM_UP_SECONDS, options.seed)
      main = arrivals(options.rate, options.seconds, options.seed).map { |arrival| later(arrival) }
      target = Holdup::Lab::Load::Target.new(url)
      Holdup::Lab::Load.new(target:, arrivals: warm_up + main, progress:).run
    end

    # @return [Numeric] how long that sends
    def self.seconds(options) = options.seconds + WARM_UP_SECONDS

    def self.arrivals(rate, seconds, seed)
      Holdup::Lab::Load::Arrivals.new(routes: ROUTES, rate:, seconds:, seed:).to_a
    end

    def self.later(arrival) = arrival.with(at_ns: arrival.at_ns + WARM_UP_SECONDS * 1_000_000_000)
    private_class_method :arrivals, :later
  end
end
