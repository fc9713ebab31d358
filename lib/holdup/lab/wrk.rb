# frozen_string_literal: true

require "json"
require "tempfile"

module Holdup
  module Lab
    # wrk as a load: so many connections that each ask again as soon as they have an answer. A closed loop: it
    # sends less when the server is slow, so it shows what a server can do, and hides what users would feel
    # (coordinated omission).
    class Wrk < LoadTool
      PROGRAM = "wrk"
      KIND = :closed
      PACKAGES = "`apt-get install wrk`, `brew install wrk`"
      # Asks for the paths of LAB_ROUTES (verb, path and weight, a line each) by their weights, and prints
      # what came of it.
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
          io.write(string.format('\n{"requests":%d,"seconds":%.6f,"failed":%d,"lost":%d,"mean_us":%d,"p50_us":%d,"p95_us":%d,"p99_us":%d}\n', summary.requests,
            summary.duration / 1e6, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
            latency.mean, latency:percentile(50), latency:percentile(95), latency:percentile(99)))
        end
      LUA
      US_PER_S = 1e6

      private

      def run(target, routes:, rate:, seconds:, seed:)
        with_script do |script|
          output("--threads", "1", "--connections", rate.to_i.to_s, "--duration", "#{seconds}s", "--latency",
            "--script", script, "http://#{target.authority}", seconds:, env: environment(routes, seed))
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
        {"LAB_ROUTES" => routes.map { |route| "#{route.verb} #{route.path} #{route.weight}\n" }.join,
         "LAB_SEED" => seed.to_s}
      end

      def seen(output)
        report = JSON.parse(output.lines.last, symbolize_names: true)
        times = {p50: :p50_us, p95: :p95_us, p99: :p99_us, mean: :mean_us}.transform_values { |key|
          report.fetch(key) / US_PER_S
        }
        told(answered: report.fetch(:requests), **report.slice(:failed, :lost, :seconds), times:)
      end
    end
  end
end
