# frozen_string_literal: true

require_relative "timeline/excerpt"
require_relative "timeline/flame"
require_relative "timeline/holders"
require_relative "timeline/meanwhile"
require_relative "timeline/methods"
require_relative "timeline/patterns"
require_relative "timeline/scene"
require_relative "timeline/story"

module Holdup
  # What happened in a capture, thread by thread: pure functions of a recording.
  module Timeline
  end
end
