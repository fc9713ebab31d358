# frozen_string_literal: true

module Holdup
  module Analysis
    # The JIT of all processes that were sampled. Pure: samples and settings in, figures out.
    #
    #   jits = JitReport.new(store.processes(from, to), settings: {"a1b2" => setting})
    #   jits.on.sum { |life| life.facts.memory_bytes }
    class JitReport
      MIB = 1 << 20
      # What a limit that is reached is raised to.
      LARGER = 1.25

      # @param bytes [Numeric] of code and metadata
      # @return [Numeric] bytes that a process grows by
      def self.memory(bytes)
        bytes * Holdup::Jit::REAL_MEMORY
      end

      # @param bytes [Numeric] of code
      # @return [Numeric] bytes of code and metadata
      def self.with_metadata(bytes)
        bytes * Holdup::Jit::TOTAL_TO_CODE
      end

      EVERY_S = 60
      # So many samples may be missing of a process that is still there.
      MISSING = 3

      # @return [Integer] seconds between two samples of a process
      attr_reader :every_s

      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @param settings [Hash{String => Setting}] by fingerprint
      # @param every_s [Integer] seconds between two samples of a process
      def initialize(samples, settings: {}, every_s: EVERY_S)
        @samples = samples.reject { |sample| ProcessReport::SampleTrail.container?(sample) }.sort_by { |sample| sample[:at_s] }
        @settings = settings
        @every_s = every_s
      end

      # @return [Array<ProcessLife>] of processes that have told anything about it
      def lives
        @lives ||= ProcessReport::SampleTrail.all(@samples).map { |trail| life(trail) }.select { |life| life.facts.kind }
          .sort_by { |life| [life.host.to_s, life.born_s, life.name.to_s, life.trail[:pid]] }
      end

      # @return [Array<ProcessLife>] that had not ended at last; where all have, those that ended last
      def present
        @present ||= lives.select { |life| life.last_s >= newest_s - MISSING * @every_s }.then { |latest|
          latest.all?(&:ended?) ? latest : latest.reject(&:ended?)
        }
      end

      # @return [Array<ProcessLife>] of these, those with a JIT
      def on
        present.select { |life| life.facts.on? }
      end

      # @return [Array<ProcessLife>] of these, those without
      def off
        present.select { |life| life.facts.off? }
      end

      # @return [ActivationOrigins]
      def origins
        ActivationOrigins.new(present.map(&:place))
      end

      # @return [Array<WorkerLifetimes>] workers that were replaced before their JIT paid, one for each server
      def wasted
        WorkerLifetimes.of(@samples).select(&:wasted?)
      end

      # @return [Array<ServerJit>]
      def servers
        @servers ||= lives.group_by(&:server).map { |name, same|
          ServerJit.new(name, same,
            present.select { |life| life.server == name })
        }
          .sort_by { |server|
          server.name.to_s
        }
      end

      private

      def newest_s = lives.map(&:last_s).max

      def life(trail)
        ProcessLife.new(trail, setting: @settings[trail[:setting]]&.attributes || {})
      end
    end
  end
end
