# frozen_string_literal: true

require_relative "simulated_recording"

# One SimulatedRecording after the other, on the same processes: a load test, then a day.
class SequentialRecordings
  # A pause, which belongs to neither.
  PAUSE_NS = 1_000_000_000

  # @param parts [Array<SimulatedRecording>]
  def initialize(parts)
    @parts = parts
  end

  # @return [Array<Holdup::UnitSample>] every unit
  def all
    @all ||= @parts.each_with_object([]) do |part, units|
      later_ns = units.empty? ? 0 : units.map(&:end_ns).max + PAUSE_NS - start_ns
      units.concat(part.all.map { |unit| unit.with(start_ns: unit.start_ns + later_ns) })
    end
  end

  # @return [Float] mean ns of a unit's stall while no thread held the GVL
  def handoff_ns
    @parts.sum { |part| part.handoff_ns * part.all.size } / all.size
  end

  private

  def start_ns = SimulatedRecording::START_S * SimulatedRecording::NS
end
