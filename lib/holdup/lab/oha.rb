# frozen_string_literal: true

require "json"
require "tempfile"

module Holdup
  module Lab
    # oha as a load: so many requests a second at even distances, and latencies from when each was due (its
    # correction of coordinated omission), so a slow server hides nothing. Its report is read as oha 1.15
    # documents it.
    class Oha < LoadTool
      PROGRAM = "oha"
      KIND = :paced
      PACKAGES = "`brew install oha`, `cargo install oha`"
      # At most so many at once; what is due meanwhile waits, and its latency grows.
      CONNECTIONS = 128
      # What is under way at the end is no failure of the server's.
      CUT_OFF = "aborted due to deadline"
      # Lines in the list of addresses for the sum of all weights, about.
      LINES = 1000

      def self.refusal(routes)
        (routes.map(&:verb).uniq.size > 1) ? "oha sends one kind of request, such as GET, at a time" : nil
      end

      private

      def run(target, routes:, rate:, seconds:, **)
        with_list(target, routes) do |list|
          output("--no-tui", "--output-format", "json", "--latency-correction", "-q", rate.to_s, "-z", "#{seconds}s", "-c", CONNECTIONS.to_s, "-m", routes.first.verb, "--redirect", "0",
            "--urls-from-file", list, seconds:)
        end
      end

      # It draws a line each time, so a path has as many lines as it has weight.
      def with_list(target, routes)
        all = routes.sum(&:weight).to_f
        Tempfile.create("holdup-lab") do |file|
          routes.each { |route| file.write("http://#{target.authority}#{route.path}\n" * [(route.weight * LINES / all).round, 1].max) }
          file.close
          yield file.path
        end
      end

      def seen(output)
        report = JSON.parse(output)
        summary = report.fetch("summary")
        latencies = report.fetch("latencyPercentiles")
        times = {**%i[p50 p95 p99].to_h { |name| [name, latencies.fetch(name.to_s)] },
          mean: summary.fetch("average")}
        reported(report.fetch("statusCodeDistribution").transform_keys(&:to_i),
          lost: report.fetch("errorDistribution").except(CUT_OFF).values.sum, seconds: summary.fetch("total"), times:)
      end
    end
  end
end
