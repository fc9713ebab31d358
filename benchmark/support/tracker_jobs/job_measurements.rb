# frozen_string_literal: true

require_relative "../tracker/trial"

module Bench
  # One kind of units at one setting. `size`: threads, as its part counts them; `units`: their name;
  # `figures`: SettingFigures; `rate`: units per second that came, 0 where they waited from the start;
  # `saturated` and `open`: TrackerTrial::CostOfRequest while throughput and times were measured
  MeasuredUnits = Data.define(:size, :units, :rate, :figures, :saturated, :open) do
    def name = "#{size.join(" + ")}: #{units}"
  end

  # What one part of the bench recorded, and measured. `rates`: units per second while it was recorded, by
  # their name
  JobMeasurements = Data.define(:recording, :rates, :measured) do
    # The store lies in that folder, too.
    # @param part [String] its name
    # @return [JobMeasurements, nil] that #keep wrote
    def self.kept(folder, part)
      return unless File.exist?(path(folder, part))
      all = Marshal.load(File.binread(path(folder, part))) # rubocop:disable Security/MarshalLoad
      recording = all.recording.with(store: File.join(folder, File.basename(all.recording.store)))
      all.with(recording:)
    end

    def self.path(folder, part) = File.join(folder, "#{part}.measurements")

    # @param units [String]
    # @return [Array<MeasuredUnits>] each boot of the recorded setting
    def recorded_setting(units)
      measured.select { |one| one.size == measured.first.size && one.units == units }
    end

    # @return [self]
    def keep(folder, part)
      File.binwrite(self.class.path(folder, part), Marshal.dump(self))
      self
    end
  end

  # Units that ended in a phase, as Holdup measured them.
  class SeenUnits
    # @param unit_samples [Array<Holdup::UnitSample>] all of them
    # @param phase [TrackerTrial::LoadPhase]
    def initialize(unit_samples, phase)
      @unit_samples = unit_samples
      @phase = phase
    end

    # @return [SeenUnits]
    # @raise [Failure] when there are none
    def only(&)
      own = SeenUnits.new(@unit_samples.select(&), @phase)
      raise Failure, "no unit of a kind was measured" if own.count.zero?
      own
    end

    def count = @unit_samples.size

    # @return [Float] units per second
    def throughput = count / (@phase.span.end - @phase.span.begin)

    # @param queued [Boolean] whether the time before a thread took the unit counts
    # @return [Hash{Symbol => Float}] times of SettingFigures
    def times(queued:)
      queues = @unit_samples.map { |unit_sample| queued ? unit_sample.queued_ns.to_i : 0 }
      responses = @unit_samples.map(&:wall_ns).zip(queues).map(&:sum)
      wait_ns = (@unit_samples.sum(&:stalled_ns) + queues.sum).fdiv(count)
      {wait_ns:, response_ns: responses.sum.fdiv(count), p95_ns: responses.sort[(0.95 * (count - 1)).round]}
    end

    # @param calibration [Calibration]
    def cost(calibration)
      TrackerTrial::CostOfRequest.new(cpu_ns: @unit_samples.sum(&:cpu_ns).fdiv(count),
        calibration_ns: calibration.median_ns(@phase.span))
    end
  end
end
