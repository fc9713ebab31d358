# frozen_string_literal: true

module Holdup
  module Analysis
    # How long workers live, and how much they do in that time: every new one starts cold, with nothing
    # compiled.
    #
    # - `server`: "puma", "unicorn" ...; `ended`: workers that ended, `alive`: that did not
    # - `units`, `seconds`: of those that ended, the median; `jit`: whether they had one
    class WorkerLifetimes < Data.define(:server, :ended, :alive, :units, :seconds, :jit)
      # Units that a worker should do in its life, and how long that should be, to have something of what it
      # compiles.
      ENOUGH = 1000
      ENOUGH_S = 1800

      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @return [Array<WorkerLifetimes>] one for each server of which workers have ended
      def self.of(samples)
        workers = samples.select { |sample| sample[:name].to_s.start_with?("worker ") }
        last = ProcessReport::SampleTrail.by_process(workers.sort_by { |sample| sample[:at_s] }).values.map(&:last)
        last.group_by { |sample| sample[:server] }.filter_map { |server, same|
          build(server, *same.partition { |sample| sample[:ended] })
        }
      end

      def self.build(server, ended, alive)
        known = ended.select { |sample| sample[:units] && sample[:since_s] }
        return if known.empty?
        new(server:, ended: ended.size, alive: alive.size, units: median(known.map { |sample| sample[:units] }),
          seconds: median(known.map { |sample| sample[:at_s] - sample[:since_s] }), jit: known.any? { |sample| sample[:jit_enabled] == 1 })
      end

      def self.median(values)
        values.sort[(values.size - 1) / 2]
      end
      private_class_method :build, :median

      # @return [Boolean] whether they end before they had anything of what they compiled
      def short?
        units < ENOUGH || seconds < ENOUGH_S
      end

      # @return [Boolean] with a JIT, and replaced again and again before it paid
      def wasted?
        jit && recycled? && short?
      end

      # A deployment or two replaces all of them as well; a server that was stopped has none any more.
      # @return [Boolean] whether they were replaced more than twice in the time
      def recycled?
        alive.positive? && ended > 2 * alive
      end
    end
  end
end
