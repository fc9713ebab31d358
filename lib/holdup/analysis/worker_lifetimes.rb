# frozen_string_literal: true

module Holdup
  module Analysis
    # How long workers live and how many units they take in that time: each starts cold, with nothing
    # compiled.
    # - `server`: "puma", "unicorn" ...; `ended`, `alive`: workers
    # - `units`, `seconds`: median of those that ended; `jit`: whether they had one
    class WorkerLifetimes < Data.define(:server, :ended, :alive, :units, :seconds, :jit)
      # A worker should take so many units and live so long to profit from what it compiles.
      ENOUGH = 1000
      ENOUGH_S = 1800

      # One for each server whose workers have ended.
      def self.of(samples)
        workers = samples.select { |sample| sample[:name].to_s.start_with?("worker ") }
        trails = ProcessReport::SampleTrail.by_process(workers.sort_by { |sample| sample[:at_s] })
        by_server = trails.values.map(&:last).group_by { |sample| sample[:server] }
        by_server.filter_map do |server, last|
          ended, alive = last.partition { |sample| sample[:ended] }
          build(server, ended, alive)
        end
      end

      def self.build(server, ended, alive)
        known = ended.select { |sample| sample[:units] && sample[:since_s] }
        return if known.empty?
        new(server:, ended: ended.size, alive: alive.size,
          units: median(known.map { |sample| sample[:units] }),
          seconds: median(known.map { |sample| sample[:at_s] - sample[:since_s] }),
          jit: known.any? { |sample| sample[:jit_enabled] == 1 })
      end

      def self.median(values)
        values.sort[(values.size - 1) / 2]
      end
      private_class_method :build, :median

      def short?
        units < ENOUGH || seconds < ENOUGH_S
      end

      # Workers have a JIT, and are replaced again and again before it pays.
      def wasted?
        jit && recycled? && short?
      end

      # Whether they were replaced more than twice in the time. A deployment or two replaces all of them as
      # well, and a server that was stopped has no workers left.
      def recycled?
        alive.positive? && ended > 2 * alive
      end
    end
  end
end
