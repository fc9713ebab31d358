# frozen_string_literal: true

module Holdup
  module Analysis
    # The most memory that requests or jobs of each name took at once, by those that their processes watched
    # since they began (MemoryPeaks). Each process says only its largest.
    class PeaksByName
      # @param samples [Array<Hash{Symbol => Object}>] of the processes (Store#processes)
      def initialize(samples)
        processes = samples.reject { |sample| ProcessReport::SampleTrail.container?(sample) }
        trails = ProcessReport::SampleTrail.all(processes.sort_by { |sample| sample[:at_s] })
        @peaks = trails.map { |trail| MemoryPeaks.parse(trail) }
          .reduce({}) { |all, peaks| all.merge(peaks) { |_, one, other| one + other } }
      end

      # @param name [String] whole
      # @return [MemoryPeaks::MemoryPeak, nil]
      def [](name) = @peaks[name[0, FlatJson::LONGEST_VALUE]]

      def any? = @peaks.any?

      # @return [Array(String, MemoryPeaks::MemoryPeak), nil] name, perhaps its beginning, and peak
      def largest = @peaks.max_by { |_, peak| peak.bytes }
    end
  end
end
