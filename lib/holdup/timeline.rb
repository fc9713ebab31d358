# frozen_string_literal: true

require_relative "timeline/replay"

module Holdup
  # What happened in a capture, thread by thread: pure functions of a recording.
  module Timeline
  end
end
