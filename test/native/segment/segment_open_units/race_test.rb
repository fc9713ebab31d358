# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/thread_sanitizer"

# The table of open units alone, in C: units of two Ractors begin, end and change, while one thread looks at
# what they do and others read.
class OpenUnitsRaceTest < Minitest::Test
  include ThreadSanitizer

  SOURCES = [File.join(__dir__, "race/open_units_table.c"),
    File.join(HEADERS, "segment/segment_open_units.c")].freeze

  one_ruby linux def test_units_change_while_others_look_and_read
    assert_no_race(SOURCES)
  end
end
