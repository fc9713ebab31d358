# frozen_string_literal: true

require "json"
require "open3"
require "tempfile"

module Holdup
  module Lab
    # A program such as wrk as a load. Holdup takes only the client's figures from its report: the number of
    # requests and their latencies. Subclasses define how to call it, its kind of load and how to read its
    # report.
    #
    # Constants of each: PROGRAM; KIND, see #kind; PACKAGES, how to install it
    class LoadTool
      PATIENCE_S = 30

      # @param path [String] folders, as in PATH
      # @return [String, nil] where it is
      def self.which(path)
        programs = path.split(":").map { |folder| File.join(folder, self::PROGRAM) }
        programs.find { |file| File.executable?(file) && !File.directory?(file) }
      end

      # @param path [String] the same
      # @raise [UnsupportedError] there is none
      def self.find(path)
        program = which(path)
        return new(program) if program
        raise UnsupportedError.new("#{self::PROGRAM} is not installed on this machine",
          "install it (#{self::PACKAGES}), or leave out --load-tool")
      end

      # @param path [String] folders, as in PATH
      # @return [String, nil] the first of CLOSED that is installed
      def self.closed(path)
        CLOSED.find { |name| ALL.fetch(name).which(path) }
      end

      # @return [Boolean] whether it takes a number of connections, each waiting for its answer, and no rate
      def self.closed? = self::KIND == :closed

      # @return [String, nil] the reason if it can't send these routes
      def self.refusal(_routes) = nil

      # @param program [String] its path
      def initialize(program)
        @program = program
      end

      # @return [Symbol] :closed (a number of connections, each waiting for its answer) or :paced (requests a
      #   second, without X-Request-Start)
      def kind = self.class::KIND

      # @param rate [Numeric] connections, or requests a second of a :paced one
      # @param seconds [Numeric] at least 1, rounded to whole seconds
      # @param seed [Integer] ignored if the program takes none
      # @param progress [#call, nil] ignored: programs report only at their end
      # @raise [Holdup::Error]
      def call(target, routes:, rate:, seconds:, seed: 1, progress: nil)
        seen(run(target, routes:, rate:, seconds: [seconds.ceil, 1].max, seed:))
      rescue JSON::ParserError, KeyError, TypeError
        raise Error.new("what #{self.class::PROGRAM} reports can't be read",
          "it may be another version than this one knows; leave out --load-tool")
      end

      private

      # @return [String] what it printed
      def output(*arguments, seconds:, env: {})
        timeout = ["timeout", "--signal=KILL", (seconds + PATIENCE_S).to_s]
        output, status = Open3.capture2e(env, *timeout, @program, *arguments)
        return output if status.success?
        raise Error.new("#{self.class::PROGRAM} failed (#{status})",
          "it said: #{output.lines.last(3).join.strip}")
      end

      # @param statuses [Hash{Integer => Integer}] answers by status
      # @param lost [Integer] requests without an answer
      # @param times [Hash{Symbol => Numeric}] seconds: p50, p95, p99 and mean
      def seen_by_status(statuses, lost:, seconds:, times:)
        failed = statuses.sum { |status, count| (status >= 400) ? count : 0 }
        seen_requests(answered: statuses.values.sum, failed:, lost:, seconds:, times:)
      end

      def seen_requests(answered:, failed:, lost:, seconds:, times:)
        ns = times.transform_values { |time| (time * 1e9).round }
        total = Exchange::Outcome.new(
          label: "all",
          count: answered + lost,
          errors: failed + lost,
          lost:,
          unexpected: failed + lost,
          p50_ns: ns.fetch(:p50),
          p95_ns: ns.fetch(:p95),
          p99_ns: ns.fetch(:p99)
        )
        Load::OpenLoop::Seen.new(total:, routes: {}, seconds:, mean_ns: ns.fetch(:mean))
      end

      # wrk as a load: a number of connections that each send again after an answer. As a closed loop it sends
      # less when the server is slow, so it shows a server's capacity and hides what users would feel
      # (coordinated omission).
      class Wrk < LoadTool
        PROGRAM = "wrk"
        KIND = :closed
        PACKAGES = "`apt-get install wrk`, `brew install wrk`"
        # Requests the paths of LAB_ROUTES (verb, path and weight, a line each) by their weights, and prints
        # the results.
        SCRIPT = <<~'LUA'
          local routes, total = {}, 0
          for verb, path, weight in os.getenv("LAB_ROUTES"):gmatch("(%S+) (%S+) (%S+)\n") do
            total = total + tonumber(weight)
            routes[#routes + 1] = {verb, path, total}
          end
          math.randomseed(tonumber(os.getenv("LAB_SEED")))

          request = function()
            local point = math.random() * total
            for _, route in ipairs(routes) do
              if point <= route[3] then return wrk.format(route[1], route[2]) end
            end
          end

          done = function(summary, latency)
            local errors = summary.errors
            local lost = errors.connect + errors.read + errors.write + errors.timeout
            io.write(string.format('\n{"requests":%d,"seconds":%.6f,"failed":%d,"lost":%d,',
              summary.requests, summary.duration / 1e6, errors.status, lost))
            io.write(string.format('"mean_us":%d,"p50_us":%d,"p95_us":%d,"p99_us":%d}\n',
              latency.mean, latency:percentile(50), latency:percentile(95), latency:percentile(99)))
          end
        LUA
        US_PER_S = 1e6

        private

        def run(target, routes:, rate:, seconds:, seed:)
          with_script do |script|
            output("--threads", "1", "--connections", rate.to_i.to_s, "--duration", "#{seconds}s",
              "--latency", "--script", script, "http://#{target.authority}",
              seconds:, env: environment(routes, seed))
          end
        end

        def with_script
          Tempfile.create(%w[holdup-lab .lua]) do |file|
            file.write(SCRIPT)
            file.close
            yield file.path
          end
        end

        def environment(routes, seed)
          lines = routes.map { |route| "#{route.verb} #{route.path} #{route.weight}\n" }
          {"LAB_ROUTES" => lines.join, "LAB_SEED" => seed.to_s}
        end

        def seen(output)
          report = JSON.parse(output.lines.last, symbolize_names: true)
          keys = {p50: :p50_us, p95: :p95_us, p99: :p99_us, mean: :mean_us}
          times = keys.transform_values { |key| report.fetch(key) / US_PER_S }
          seen_requests(answered: report.fetch(:requests), **report.slice(:failed, :lost, :seconds), times:)
        end
      end

      # hey as a load: a closed loop like wrk, for one address only. It reports times in tenths of a
      # millisecond.
      class Hey < LoadTool
        PROGRAM = "hey"
        KIND = :closed
        PACKAGES = "`apt-get install hey`, `brew install hey`"
        TIMEOUT_S = 20
        # The tool omits a percentile of few requests; the nearest rank is then the slowest.
        SHARES = {p50: 50, p95: 95, p99: 99}.freeze

        def self.refusal(routes)
          (routes.size > 1) ? "hey asks for one address only" : nil
        end

        private

        def run(target, routes:, rate:, seconds:, **)
          route = routes.first
          output("-z", "#{seconds}s", "-c", rate.to_i.to_s, "-t", TIMEOUT_S.to_s, "-m", route.verb,
            "-disable-redirects", "http://#{target.authority}#{route.path}", seconds:)
        end

        def seen(output)
          summary = ->(name) { Float(output[/^ +#{name}:\s+([\d.]+)/, 1]) }
          times = SHARES.transform_values do |share|
            output[/^ +#{share}%+ in ([\d.]+) secs/, 1]&.to_f || summary["Slowest"]
          end
          times[:mean] = summary["Average"]
          statuses = listed(output, "Status code", /\[(\d+)\]\s+(\d+) responses/).to_h
          lost = listed(output, "Error", /^ +\[(\d+)\]/).sum(&:first)
          seen_by_status(statuses, lost:, seconds: summary["Total"], times:)
        end

        # @return [Array<Array<Integer>>] numbers of each line in the section with that title
        def listed(output, title, line)
          part = output[/^#{title} distribution:\n(.*?)(\n\n|\z)/m, 1].to_s
          part.scan(line).map { |numbers| numbers.map(&:to_i) }
        end
      end

      # oha as a load: requests at a constant rate, with latencies from when each was due (its correction of
      # coordinated omission), so a slow server hides nothing. Reads the report of oha 1.15.
      class Oha < LoadTool
        PROGRAM = "oha"
        KIND = :paced
        PACKAGES = "`brew install oha`, `cargo install oha`"
        # Largest number of requests at once; further due requests wait, and their latency grows.
        CONNECTIONS = 128
        # Requests still running at the end: not a failure of the server.
        CUT_OFF = "aborted due to deadline"
        # Approximate lines in the list of addresses for the sum of all weights.
        LINES = 1000

        def self.refusal(routes)
          (routes.map(&:verb).uniq.size > 1) ? "oha sends one kind of request, such as GET, at a time" : nil
        end

        private

        def run(target, routes:, rate:, seconds:, **)
          with_list(target, routes) do |list|
            output("--no-tui", "--output-format", "json", "--latency-correction", "-q", rate.to_s,
              "-z", "#{seconds}s", "-c", CONNECTIONS.to_s, "-m", routes.first.verb, "--redirect", "0",
              "--urls-from-file", list, seconds:)
          end
        end

        # oha draws a random line for each request, so the number of a path's lines is its weight.
        def with_list(target, routes)
          all = routes.sum(&:weight).to_f
          Tempfile.create("holdup-lab") do |file|
            routes.each do |route|
              lines = [(route.weight * LINES / all).round, 1].max
              file.write("http://#{target.authority}#{route.path}\n" * lines)
            end
            file.close
            yield file.path
          end
        end

        def seen(output)
          report = JSON.parse(output)
          summary = report.fetch("summary")
          latencies = report.fetch("latencyPercentiles")
          times = {p50: latencies.fetch("p50"), p95: latencies.fetch("p95"), p99: latencies.fetch("p99"),
                   mean: summary.fetch("average")}
          statuses = report.fetch("statusCodeDistribution").transform_keys(&:to_i)
          lost = report.fetch("errorDistribution").except(CUT_OFF).values.sum
          seen_by_status(statuses, lost:, seconds: summary.fetch("total"), times:)
        end
      end

      # The programs by name.
      ALL = [Wrk, Hey, Oha].to_h { |tool| [tool::PROGRAM, tool] }.freeze
      # The order is that of preference.
      CLOSED = ALL.select { |_, tool| tool.closed? }.keys.freeze
    end
  end
end
