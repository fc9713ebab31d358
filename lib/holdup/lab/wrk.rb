# frozen_string_literal: true

require "json"
require "open3"
require "tempfile"
require_relative "../errors"
require_relative "open_loop"

module Holdup
  module Lab
    # wrk as a load: so many connections that each ask again as soon as they have an answer. A closed loop: it sends less when the
    # server is slow, so it shows what a server can do, and hides what users would feel (coordinated omission).
    class Wrk
      PROGRAM = "wrk"
      # Asks for the paths of LAB_ROUTES (verb, path and weight, a line each) by their weights, and prints what came of it.
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
          io.write(string.format('\n{"requests":%d,"seconds":%.6f,"failed":%d,"lost":%d,"p50_us":%d,"p95_us":%d,"p99_us":%d}\n', summary.requests,
            summary.duration / 1e6, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
            latency:percentile(50), latency:percentile(95), latency:percentile(99)))
        end
      LUA
      PATIENCE_S = 30
      US = 1000

      # @param path [String] folders with programs, as in PATH
      # @return [Wrk]
      # @raise [UnsupportedError] there is none
      def self.find(path)
        program = path.split(":").map { |folder| File.join(folder, PROGRAM) }.find { |file| File.executable?(file) }
        program ? new(program) : raise(UnsupportedError.new("there is no #{PROGRAM} on this machine", "install it (`apt-get install wrk`, `brew install wrk`), or leave out --load-tool"))
      end

      # @param program [String] its path
      def initialize(program)
        @program = program
      end

      # @see OpenLoop#kind
      def kind = :closed

      # @param target [Target]
      # @param routes [Array<Route>]
      # @param rate [Integer] connections
      # @param seconds [Numeric] at least 1, in whole ones
      # @param seed [Integer]
      # @param progress [#call, nil] unheeded: wrk tells nothing before its end
      # @return [OpenLoop::Seen]
      # @raise [Holdup::Error]
      def call(target, routes:, rate:, seconds:, seed: 1, progress: nil)
        whole = [seconds.ceil, 1].max
        output, status = with_script do |script|
          Open3.capture2e(environment(routes, seed), "timeout", "--signal=KILL", (whole + PATIENCE_S).to_s, @program, "--threads", "1", "--connections", rate.to_i.to_s,
            "--duration", "#{whole}s", "--latency", "--script", script, "http://#{target.authority}")
        end
        raise Error.new("wrk failed (#{status})", "it said: #{output.lines.last(3).join.strip}") unless status.success?
        seen(JSON.parse(output.lines.last, symbolize_names: true))
      end

      private

      def with_script
        Tempfile.create(%w[holdup-lab .lua]) do |file|
          file.write(SCRIPT)
          file.close
          yield file.path
        end
      end

      def environment(routes, seed)
        {"LAB_ROUTES" => routes.map { |route| "#{route.verb} #{route.path} #{route.weight}\n" }.join, "LAB_SEED" => seed.to_s}
      end

      def seen(report)
        lost, failed = report.values_at(:lost, :failed)
        times = {p50_ns: :p50_us, p95_ns: :p95_us, p99_ns: :p99_us}.transform_values { |key| report[key] * US }
        total = Outcome.new(label: "all", count: report[:requests] + lost, errors: failed + lost, lost:, unexpected: failed + lost, **times)
        OpenLoop::Seen.new(total:, routes: {}, seconds: report[:seconds])
      end
    end
  end
end
