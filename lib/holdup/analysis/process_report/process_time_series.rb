# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # Processes (or containers) over time: from one of their samples to the next, in steps that all have in
      # common, because the collector does not sample all of them in the same second.
      class ProcessTimeSeries
        # Between two samples. `cpu_share`: of one core; `gc_share`: of the time; `busy`: threads with a unit.
        ProcessPoint = Data.define(:cpu_share, :gc_share, :rss_bytes, :busy) do
          def self.of(trail)
            process = MeasuredProcess.of(trail, from_s: trail.first_s, to_s: trail.last_s, every_s: 0)
            new(**members.to_h { |key| [key, process.public_send(key)] })
          end
        end

        # One process. `points`: {Integer => ProcessPoint} by the start of the step.
        ProcessLine = Data.define(:host, :pid, :name, :server, :points) do
          # @param key [Symbol] a member of ProcessPoint
          def values(key, steps)
            steps.map { |at_s| points[at_s]&.public_send(key) }
          end

          def cpu
            points.values.sum { |point| point.cpu_share.to_f }
          end
        end

        # @param every_s [Integer] seconds between two samples, and of a step
        def initialize(trails, every_s:)
          @trails = trails
          @every_s = every_s
        end

        def at_s
          first, last = lines.flat_map { |line| line.points.keys }.minmax
          first ? (first..last).step(@every_s).to_a : []
        end

        def steps(from_s, to_s)
          (step_start(from_s)...to_s).step(@every_s).to_a
        end

        # Most CPU first.
        def lines
          @lines ||= begin
            lines = @trails.map { |trail| line(trail) }.reject { |line| line.points.empty? }
            lines.sort_by { |line| [-line.cpu, line.name.to_s] }
          end
        end

        private

        def line(trail)
          points = trail.pairs.to_h { |pair| [step_start(pair.last_s), ProcessPoint.of(pair)] }
          ProcessLine.new(host: trail[:host], pid: trail[:pid], name: trail[:name], server: trail[:server],
            points:)
        end

        def step_start(at_s)
          at_s / @every_s * @every_s
        end
      end
    end
  end
end
