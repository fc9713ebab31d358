# frozen_string_literal: true

$VERBOSE = true
root = File.expand_path("..", __dir__)

# Warnings from our own files fail the run; other gems' warnings are theirs.
module Warning
  def self.warn(message, category: nil, **)
    if message.start_with?("#{File.expand_path("..", __dir__)}/") && !message.include?("/vendor/")
      raise "warning of ours: #{message}"
    end
    super
  end
end

$LOAD_PATH.unshift(File.join(root, "lib"), File.join(root, "test"))
require "minitest/autorun"
require "fileutils"
require "tmpdir"
Dir[File.join(__dir__, "support", "*.rb")].each { |file| require file }
PreparedBundle.use

class Minitest::Test
  include WaitUntil
  include FreshRuby

  # A unit that a test left open would be the outer one of the next test's.
  def before_setup
    super
    Fiber[:holdup_unit] = nil
    @cpu_before_s = Slowest.cpu_s
  end

  # A test that asserts nothing proves nothing.
  def after_teardown
    super
    metadata[:cpu_s] = Slowest.cpu_s - @cpu_before_s
    flunk "this test asserts nothing" if assertions.zero? && passed? && !skipped?
  end
end
