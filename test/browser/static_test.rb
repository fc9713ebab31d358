# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# The report as one file, opened from a disk.
class StaticTest < Minitest::Test
  include CommandLine
  include Looking
  include TemporaryFolder

  def test_it_is_as_fine_as_the_pages
    recorded = Recorded.new
    said = holdup("report", "--store", recorded.store, "--since", "15m", "--format", "html", "--lang", "ja",
      now_s: recorded.now_s)
    assert_equal 0, said.status, said.err
    File.write(File.join(folder, "report.html"), said.out)
    chromium.theme("dark")
    chromium.visit("file://#{folder}/report.html")
    Looking::WIDTHS.each { |pixels| assert_fits(pixels) }
    assert_empty chromium.barriers
    assert_empty chromium.faults
  ensure
    recorded&.remove
  end
end
