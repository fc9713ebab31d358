# frozen_string_literal: true

require "test_helper"
require "open3"

# The table of open units alone, in C, with ThreadSanitizer: units of two Ractors begin, end and change, while
# one thread looks at what they do and others read.
class OpenUnitsRaceTest < Minitest::Test
  HEADERS = File.expand_path("../../../../ext/holdup", __dir__)
  SOURCES = [File.join(__dir__, "race/open_units_table.c"),
    File.join(HEADERS, "segment/segment_open_units.c")].freeze
  # Its shadow memory wants addresses where they always were.
  PLAIN = ["setarch", RbConfig::CONFIG["host_cpu"], "-R"].freeze

  one_ruby linux def test_units_change_while_others_look_and_read
    Dir.mktmpdir do |folder|
      program = File.join(folder, "table")
      flags = %w[-std=gnu11 -O1 -g -fsanitize=thread -w]
      built, status = Open3.capture2e("gcc", *flags, "-I", HEADERS, "-o", program, *SOURCES, "-lpthread")
      assert status.success?, built
      output, status = Open3.capture2e({"TSAN_OPTIONS" => "halt_on_error=1"}, *PLAIN, program)
      assert status.success?, output
      assert_equal "0", output.chomp
    end
  end
end
