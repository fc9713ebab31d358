# frozen_string_literal: true

module Holdup
  module Analysis
    # Who has the CPU that threads with the GVL wait for: the measured processes themselves (a hog, or too
    # many of them), other processes of the same container, other containers of the host, or other machines of
    # its hypervisor. Each has another remedy.
    class CpuStarvation
      # From this share of the CPUs on they are taken for used up.
      FULL = 0.85
      # Of the CPU time that the machine wanted.
      STOLEN = 0.02
      # CPUs; less keeps nobody waiting.
      LEAST = 0.05

      # @param machine [Machine]
      def initialize(machine)
        @machine = machine
      end

      # @return [Symbol, nil] :own, :beside, :host, :steal; nil where samples do not tell
      def culprit
        return :own if own && vcpus && own >= FULL * vcpus
        others.max_by(&:last)&.first
      end

      # @return [Float, nil] CPUs that the measured processes use
      def own
        @machine.used && @machine.used - @machine.beside
      end

      # @return [Float, nil] CPUs that the culprit has, where that is somebody else
      def taken = others[culprit]

      # @return [Numeric, nil]
      def vcpus = @machine.vcpus

      private

      # @return [Hash{Symbol => Float}] CPUs that others have
      def others
        {beside: (@machine.beside if contained_full?), host: (@machine.neighbours if host_full?),
         steal: (@machine.stolen if @machine.steal_share.to_f >= STOLEN)}
          .compact.select { |_, cpus|
          cpus >= LEAST
        }
      end

      def contained_full?
        @machine.used && vcpus && @machine.used >= FULL * vcpus
      end

      def host_full? = @machine.host_share.to_f >= FULL
    end
  end
end
