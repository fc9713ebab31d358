# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/thread_sanitizer"

# The ring of a capture alone, in C: who ends a capture takes nothing from under those who write.
class CaptureRingTest < Minitest::Test
  include ThreadSanitizer

  SOURCES = [File.join(__dir__, "ring/capture_ring.c"), File.join(HEADERS, "capture/capture.c")].freeze

  def test_captures_begin_and_end_while_others_write
    assert_no_race(SOURCES)
  end
end
