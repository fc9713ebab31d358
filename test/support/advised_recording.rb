# frozen_string_literal: true

require_relative "played_recording"

# A recording whose advice several tests show. What it computes is kept for all of them.
module AdvisedRecording
  RECORDING = PlayedRecording.new(minutes: 6, swing: 0.0)

  # @return [Holdup::Advise::Sizing::Recommendation]
  def self.recommendation = @recommendation ||= RECORDING.recommendation(units: 1500)
end
