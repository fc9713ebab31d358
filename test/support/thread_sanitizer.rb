# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tmpdir"

# Runs a C program under ThreadSanitizer.
module ThreadSanitizer
  HEADERS = File.expand_path("../../ext/holdup", __dir__)
  FLAGS = %w[-std=gnu11 -O1 -g -fsanitize=thread -w].freeze
  # Its shadow memory wants addresses where they always were.
  PLAIN = ["setarch", RbConfig::CONFIG["host_cpu"], "-R"].freeze

  # @param sources [Array<String>] paths of C files; the program prints how many wrong values it has read
  def assert_no_race(sources)
    Dir.mktmpdir do |folder|
      program = File.join(folder, "program")
      built, status = Open3.capture2e("gcc", *FLAGS, "-I", HEADERS, "-o", program, *sources, "-lpthread")
      assert status.success?, built
      output, status = Open3.capture2e({"TSAN_OPTIONS" => "halt_on_error=1"}, *PLAIN, program)
      assert status.success?, output
      assert_equal "0", output.chomp
    end
  end
end
