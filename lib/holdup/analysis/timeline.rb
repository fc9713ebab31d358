# frozen_string_literal: true

module Holdup
  # What happened in a capture, thread by thread: pure functions of a recording.
  module Analysis::Timeline
  end
end
