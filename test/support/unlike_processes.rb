# frozen_string_literal: true

require_relative "played_recording"

# Units of two processes, one of which holds the GVL for a fifth longer than the other.
class UnlikeProcesses < PlayedRecording
  def unit_samples
    @unlike ||= super.map.with_index do |unit, index|
      second = index.odd?
      process = Holdup::UnitSample::SampledProcess.new(pid: second ? 8 : 7, since_ns: 0)
      unit.with(process:, running_ns: (unit.running_ns * (second ? 1.1 : 0.9)).round)
    end
  end
end
