# frozen_string_literal: true

module Holdup
  module Analysis
    # How fast machines computed in a span of time: the CPU time of a piece of work that never changes
    # (FixedWork), once a minute. Where it takes longer, so does each request of the
    # same application.
    class MachineSpeed
      # With fewer, one odd minute would be a quarter of all.
      FEWEST = 4
      # Shares of the minutes between which speeds count, so that single minutes do not.
      USUAL = [0.1, 0.9].freeze

      # @param samples [Array<Hash{Symbol => Object}>] of processes and containers
      def self.of(samples)
        timed = samples.select { |sample| sample[:fixed_work_ns] }
        all = timed.group_by { |sample| sample[:host] }
        new(all.transform_values { |own| own.map { |sample| sample[:fixed_work_ns] } })
      end

      # @param times [Hash{String => Array<Integer>}] ns that the work took on each host
      def initialize(times = {})
        @by_host = times.select { |_, own| own.size >= FEWEST }.transform_values(&:sort)
      end

      def known? = @by_host.any?

      # @return [Float, nil] how much longer the work took in a host's slow minutes than in its fast ones, on
      #   the host where that is most: 1.2 is 20 %
      def variation
        @by_host.values.map { |times| USUAL.map { |share| at(times, share) }.reverse.inject(:fdiv) }.max
      end

      # How much longer the work took than at another time, on hosts that both times know, else on all.
      # @param earlier [MachineSpeed]
      # @return [Float, nil] 1.2 is 20 %; nil while unknown
      def slower_than(earlier)
        return unless known? && earlier.known?
        same = hosts & earlier.hosts
        median_ns(same.empty? ? hosts : same) / earlier.median_ns(same.empty? ? earlier.hosts : same)
      end

      # @return [MachineSpeed] of both times together
      def +(other)
        self.class.new(by_host.merge(other.by_host) { |_, own, others| own + others })
      end

      def hosts = @by_host.keys

      # @return [Float] geometric mean of the hosts' medians
      def median_ns(hosts)
        Math.exp(hosts.sum { |host| Math.log(at(@by_host.fetch(host), 0.5)) } / hosts.size)
      end

      protected

      attr_reader :by_host

      private

      def at(sorted, share)
        sorted[((sorted.size - 1) * share).round]
      end
    end
  end
end
