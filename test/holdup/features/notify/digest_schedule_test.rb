# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::DigestScheduleTest < Minitest::Test
  Schedule = Holdup::Notify::DigestSchedule
  NOW_S = 1_790_000_000
  # The 20th is a Sunday.
  MONDAY = [2026, 9, 21].freeze

  def due?(*local, last_s: nil, text: "monday 09:00", **rest)
    last = {source: "a", rule: "digest", state: :began, at_s: last_s, by: ""}
    told = last_s ? [Holdup::Notice.new(**last)] : []
    Schedule.parse(text).due?(told, now_s: NOW_S, local: Time.utc(*local), **rest)
  end

  def test_is_due_from_its_minute_on_for_a_day
    refute due?(*MONDAY, 8, 59)
    assert due?(*MONDAY, 9, 0)
    assert due?(2026, 9, 22, 8, 59)
    refute due?(2026, 9, 22, 9, 0)
  end

  def test_the_week_begins_anew_on_sunday
    assert due?(2026, 9, 27, 0, 10, text: "saturday 23:30")
    refute due?(2026, 9, 26, 23, 29, text: "saturday 23:30")
    assert due?(2026, 9, 20, 0, 0, text: "sunday 00:00")
  end

  # Clocks of other time zones say so again some hours later.
  def test_comes_once
    refute due?(*MONDAY, 9, 0, last_s: NOW_S - 60)
    refute due?(*MONDAY, 9, 0, last_s: NOW_S - 26 * 3600)
    assert due?(*MONDAY, 9, 0, last_s: NOW_S - 7 * 86_400 + 30)
  end

  def test_what_failed_is_tried_again_after_an_hour
    refute due?(*MONDAY, 9, 30, tried_s: NOW_S - 3599)
    assert due?(*MONDAY, 10, 0, tried_s: NOW_S - 3600)
  end

  def test_collectors_that_send_one_at_once_make_the_same_source
    week = Holdup::Notify::WeekFacts.new(from_s: NOW_S - 1, to_s: NOW_S, before: nil, after: nil,
      comparisons: {}, changes: [], acts: [], deaths: [], notices: [], advice: [])
    one, other = %w[web-1 web-2].map { |by| Schedule.notice([], week, by:) }
    assert_equal one.source, other.source
    refute_equal one.source, Schedule.notice([one], week, by: "web-1").source
  end
end
