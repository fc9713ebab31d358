# frozen_string_literal: true

require "test_helper"
require "open3"

# The ring of a capture alone, in C, with ThreadSanitizer: who ends a capture takes nothing from under those
# who write.
class CaptureRingTest < Minitest::Test
  SOURCES = %w[ring/capture_ring.c ../../../../ext/holdup/capture/capture.c]
    .map { |path| File.expand_path(path, __dir__) }.freeze
  HEADERS = File.expand_path("../../../../ext/holdup", __dir__)
  # Its shadow memory wants addresses where they always were.
  PLAIN = ["setarch", RbConfig::CONFIG["host_cpu"], "-R"].freeze

  def test_captures_begin_and_end_while_others_write
    Dir.mktmpdir do |folder|
      program = File.join(folder, "ring")
      flags = %w[-std=gnu11 -O1 -g -fsanitize=thread -w]
      built, status = Open3.capture2e("gcc", *flags, "-I", HEADERS, "-o", program, *SOURCES, "-lpthread")
      assert status.success?, built
      output, status = Open3.capture2e({"TSAN_OPTIONS" => "halt_on_error=1"}, *PLAIN, program)
      assert status.success?, output
      assert_equal "0", output.chomp
    end
  end
end
