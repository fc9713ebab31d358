# frozen_string_literal: true

require "test_helper"

class CaptureTest < Minitest::Test
  include CommandLine

  def test_says_what_is_missing
    Dir.mktmpdir do |folder|
      said = holdup("capture", "--dir", folder)
      assert_equal [1, ""], [said.status, said.out]
      assert_match(/no process measures in #{folder}; `holdup doctor` says why/, said.err)
      assert_equal 1, holdup("capture", "--dir", File.join(folder, "none")).status
    end
  end

  def test_refuses_what_contradicts_or_makes_no_sense
    [%w[--pid 3 --all], %w[--seconds 0], %w[--seconds 61], ["--until", "stall"], %w[--pid x], %w[--lang xx],
      %w[file]].each do |arguments|
      said = holdup("capture", *arguments)
      assert_equal 2, said.status, arguments.join(" ")
      assert_match(/\Aholdup: .*; .*\n\z/, said.err) unless arguments.include?("--lang")
    end
  end

  def test_help
    assert_match(/--seconds N .*\(10\)/, holdup("capture", "--help").out)
  end
end
