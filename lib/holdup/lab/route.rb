# frozen_string_literal: true

module Holdup
  module Lab
    # One kind of request in a mix, with its frequency and expected status codes.
    #
    #   Route.new(label: "OrdersController#index", path: "/orders", weight: 10)
    #   Route.new(label: "OrdersController#show", path: ->(random) { "/orders/#{random.rand(20)}" })
    Route = Data.define(:label, :verb, :path, :weight, :expected) do
      # @param path [String, #call] the path, or a function of a Random
      # @param weight [Numeric] its share of the traffic, relative to the other routes'
      # @param expected [#include?] status codes
      def initialize(label:, path:, verb: "GET", weight: 1, expected: 200..399)
        super
      end

      def path_for(random)
        path.respond_to?(:call) ? path.call(random) : path
      end
    end

    # Parses routes as users write them: "/orders", "POST /carts/7", "10 GET /products" (ten times as often as
    # those without a number), one a line in a file, with comments after "#".
    module Route::Lines
      PATTERN = /\A
        (?:(?<weight>\d{1,6}(?:\.\d{1,3})?)[ ]+)?
        (?:(?<verb>GET|HEAD|POST|PUT|PATCH|DELETE)[ ]+)?
        (?<path>\/\S*)
      \z/x

      module_function

      # @return [Array<Route>] lines with the same verb and path are summed
      # @raise [UsageError]
      def routes(lines)
        requests = lines.map { |line| line.sub(/(?:\A|\s)#.*/, "").strip }.reject(&:empty?)
        if requests.empty?
          raise UsageError.new("no request to send is given",
            "name a path with --url, or a file with --requests")
        end
        requests.map { |line| parse(line) }.group_by(&:label).values.map { |same|
          same.first.with(weight: same.sum(&:weight))
        }
      end

      # @raise [UsageError] it can't be read
      def read(file)
        File.readlines(file, chomp: true, encoding: "UTF-8").map(&:scrub)
      rescue SystemCallError => error
        raise UsageError.new("--requests #{file} can't be read (#{error.message})",
          "give a file with a request a line, such as `10 GET /products`")
      end

      def parse(line)
        match = PATTERN.match(line) or raise UsageError.new("#{line[0, 100].inspect} is not a request",
          "write a path such as /orders, with a verb and a weight if need be: `10 GET /products`")
        verb = match[:verb] || "GET"
        path = match[:path]
        Route.new(label: "#{verb} #{path}", verb:, path:, weight: Float(match[:weight] || 1))
      end
      private_class_method :parse
    end
  end
end
