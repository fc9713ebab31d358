# frozen_string_literal: true

require_relative "timeline/excerpt"
require_relative "timeline/flame_tree"
require_relative "timeline/holder_table"
require_relative "timeline/holder_methods"
require_relative "timeline/method_table"
require_relative "timeline/patterns"
require_relative "timeline/scene"
require_relative "timeline/unit_story"

module Holdup
  # What happened in a capture, thread by thread: pure functions of a recording.
  module Analysis::Timeline
  end
end
