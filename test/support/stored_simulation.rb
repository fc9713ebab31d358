# frozen_string_literal: true

require_relative "counted_arrivals"
require_relative "example_units"
require_relative "simulated_recording"

# A SimulatedRecording as advice sees it: windows of each minute besides its single units.
class StoredSimulation
  ATTRIBUTES = {
    "ruby" => "3.4.5", "server" => "puma", "server_version" => "7.0.0", "threads" => 5, "workers" => 1,
    "vcpus" => 2
  }.freeze
  SUMS = {cpu_ns: :cpu_ns, io_ns: :idle_ns, gc_ns: :gc_ns, acquisitions: :acquisitions}.freeze
  HISTOGRAMS = {wall: :wall_ns, running: :running_ns, stalled: :stalled_ns, idle: :idle_ns,
                queued: :queued_ns, longest_hold: :longest_hold_ns}.freeze

  # @param recording [SimulatedRecording] of requests
  # @param attributes [Hash{String => Object}] of the setting
  # @param sampled [Boolean] with as many single units as a store keeps
  # @param counted [Boolean] with counts of arrivals, which older recordings do not have
  # @return [Holdup::Advise::Sizing::Recording]
  def self.of(recording, attributes = {}, sampled: false, counted: true)
    new(recording, attributes, sampled:, counted:).recording
  end

  def initialize(recording, attributes, sampled: false, counted: true)
    @sampled = sampled
    @counted = counted
    @setting = Holdup::Setting.new(attributes: {**ATTRIBUTES, **attributes})
    @units = recording.all.map { |unit| unit.with(setting: @setting) }
    @handoff_ns = recording.handoff_ns
  end

  def recording
    windows = @units.group_by { |unit| unit.end_ns / 60_000_000_000 * 60 }.flat_map do |start_s, units|
      [*units.group_by(&:series).map { |series, own| window(series, start_s, own) },
        handoffs(start_s, units.size)]
    end
    arrivals = @counted ? CountedArrivals.of(@units) : []
    Holdup::Advise::Sizing::Recording.of(windows:, unit_samples:, arrivals:, kind: :request)
  end

  private

  def unit_samples
    return @units unless @sampled
    by_block = @units.group_by { |unit| Holdup::SampleBlock.start_of(unit.start_ns) }
    by_block.flat_map do |start_s, some|
      empty = Holdup::SampleBlock.new(setting: @setting, host: "a", start_s:, seen: 0, unit_samples: [])
      empty.merge(empty.with(seen: some.size, unit_samples: some)).weighted
    end
  end

  def window(series, start_s, units)
    histograms = HISTOGRAMS.transform_values { |field| Holdup::Histogram.of(units.map(&field)) }
    sums = SUMS.transform_values { |field| units.sum(&field) }
    empty(series, start_s).then do |window|
      window.with(count: units.size, sums: window.sums.merge(sums), histograms:)
    end
  end

  def handoffs(start_s, units)
    window = empty(Holdup::Series::HANDOFF, start_s)
    window.with(sums: window.sums.merge(caused_ns: (@handoff_ns * units).round))
  end

  def empty(series, start_s)
    Holdup::Window.empty(series:, setting: @setting, host: "a", start_s:, seconds: 60)
  end
end
