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

    class Route
      # The requests of a recording, for a load that sends similar ones: the frequency of each endpoint, the
      # requests of a busy minute, and one path of each GET endpoint if the application keeps them
      # (`config.example_paths`).
      class RecordedTraffic
        # Multiples of the rate in a busy minute: lower, the same and higher.
        LADDER = [0.5, 1, 1.5, 2].freeze
        BUSY = 0.95
        # Weights of routes are parts of WHOLE, and at least LEAST.
        WHOLE = 1000
        LEAST = 0.001
        ALL = Series.new(kind: :request, name: "(all)")

        # `path`: nil if unknown
        RecordedEndpoint = Data.define(:name, :count, :cpu_ns, :path)

        # A store's filter: only series with a known path.
        Known = Data.define(:paths) do
          def series?(series) = paths.key?(series)
        end
        private_constant :Known

        # @param from_s [Integer] seconds since 1970
        # @param app [String, nil] to read, nil: any
        def self.read(store, from_s, to_s, app: nil)
          paths = store.paths
          windows = store.windows(from_s, to_s, kinds: [:request], histograms: []).to_a
          windows = windows.select { |window| window.setting["app"] == app } if app
          minutes = store.sums(from_s, to_s, step_s: MINUTE_S, together: ALL, kinds: [:request],
            only: Known.new(paths), settings: windows.map(&:setting).uniq, histograms: [])
          new(windows, paths:, minutes: minutes.map(&:window))
        end

        # @param windows [Array<Window>] of requests
        # @param minutes [Array<Window>] of those with a path, summed; one for each minute if the store still
        #   has minutes
        def initialize(windows, paths:, minutes:)
          @windows = windows
          @paths = paths
          @minutes = minutes
        end

        # @return [Array<RecordedEndpoint>] the most frequent first
        def endpoints
          @endpoints ||= @windows.group_by(&:series).map { |series, own| endpoint(series, own) }
            .sort_by { |endpoint| -endpoint.count }
        end

        # @return [Array<String>] names of its applications
        def apps
          @windows.filter_map { |window| window.setting["app"] }.uniq.sort
        end

        # @return [Array<RecordedEndpoint>] that have a path to send again
        def known = endpoints.select(&:path)

        # @return [Array<RecordedEndpoint>] without a path
        def unknown = endpoints.reject(&:path)

        # @return [Float] requests with a path a second and host, in a busy minute
        def rate
          rates = @minutes.group_by(&:start_s).map do |_, windows|
            windows.sum(&:count).fdiv(windows.map(&:seconds).max)
          end
          return 0.0 if rates.empty?
          rates.sort[((rates.size - 1) * BUSY).ceil] / hosts
        end

        # @return [Array<Float>] rates around it
        def ladder
          LADDER.map { |step| Float(format("%.3g", rate * step)) }
        end

        # @return [Array<String>] see Route::Lines
        def lines
          known.map { |endpoint| "#{weight(endpoint)} GET #{endpoint.path}" }
        end

        # @return [Array<String>] the same of all endpoints, for the user to add paths
        def outline
          endpoints.map { |endpoint| "#{weight(endpoint)} GET #{endpoint.path || "/..."} # #{endpoint.name}" }
        end

        # @return [Hash] for a file: number of endpoints that are sent again, the recorded rate, and the
        #   endpoints left out
        def to_h
          {endpoints: known.size, rate: rate.round(3), left: unknown.map(&:name), left_share: share(&:count),
           left_cpu: share(&:cpu_ns)}
        end

        private

        def hosts = @windows.map(&:host).uniq.size

        def weight(endpoint)
          [(WHOLE * endpoint.count.fdiv(endpoints.sum(&:count))).round(3), LEAST].max
        end

        def share(&)
          (unknown.sum(&).to_f / [endpoints.sum(&), 1].max).round(4)
        end

        def endpoint(series, windows)
          RecordedEndpoint.new(name: series.name, count: windows.sum(&:count),
            cpu_ns: windows.sum { |window| window.sums.fetch(:cpu_ns) }, path: @paths[series])
        end
      end
    end
  end
end
