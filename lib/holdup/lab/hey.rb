# frozen_string_literal: true

module Holdup
  module Lab
    # hey as a load: a closed loop like wrk, for one address only. Its times have a tenth of a millisecond for
    # their last digit.
    class Hey < LoadTool
      PROGRAM = "hey"
      KIND = :closed
      PACKAGES = "`apt-get install hey`, `brew install hey`"
      TIMEOUT_S = 20
      # Of fewer requests it prints no such percentile; the nearest rank is then the slowest.
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
        times = SHARES.transform_values { |share|
          output[/^ +#{share}%+ in ([\d.]+) secs/, 1]&.to_f || summary["Slowest"]
        }
        statuses = listed(output, "Status code", /\[(\d+)\]\s+(\d+) responses/).to_h
        reported(statuses, lost: listed(output, "Error", /^ +\[(\d+)\]/).sum(&:first),
          seconds: summary["Total"], times: {**times, mean: summary["Average"]})
      end

      # @return [Array<Array<Integer>>] numbers of each line of the part with that title
      def listed(output, title, line)
        output[/^#{title} distribution:\n(.*?)(\n\n|\z)/m, 1].to_s.scan(line).map { |numbers|
          numbers.map(&:to_i)
        }
      end
    end
  end
end
