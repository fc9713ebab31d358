# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::MomentsTest < Minitest::Test
  Moments = Holdup::View::Figures::Moments

  def in_zone(name)
    before = ENV["TZ"]
    ENV["TZ"] = name
    yield
  ensure
    ENV["TZ"] = before
  end

  def test_with_the_zone
    in_zone("Asia/Tokyo") { assert_equal "2026-09-21 23:13 +09:00", Moments.at(1_790_000_000) }
    in_zone("UTC") { assert_equal "2026-09-21 14:13:20 +00:00", Moments.at(1_790_000_000, "%F %T") }
  end

  # Both ends are printed in one zone, also where clocks were changed between them.
  def test_a_span
    in_zone("Europe/Berlin") {
      assert_equal "2026-10-25 01:30 - 2026-10-25 02:30 +01:00", Moments.span(1_792_888_200, 1_792_891_800)
    }
  end

  def test_a_written_moment_can_be_read
    found = Moments::PATTERN.match("since 2026-09-21 14:13 +00:00: ...")
    assert_equal 1_789_999_980, Moments.read(found[1], found[3]).to_i
    assert_nil Moments.read("2026-13-01 00:00", "UTC")
  end
end
