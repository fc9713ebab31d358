# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::OptionValuesTest < Minitest::Test
  Values = Holdup::Queries::OptionValues
  NOW = 1_790_000_000

  def moment(text)
    Values.moment("--since", text, now_s: NOW)
  end

  def test_times_ago
    {"now" => 0, "30s" => 30, "90 s" => 90, "30m" => 1800, "5min" => 300, "1h" => 3600, "1.5h" => 5400,
     "2d" => 172_800, "1w" => 604_800, "1hour" => 3600, "2 hours ago" => 7200, "-1h" => 3600,
     "10 minutes" => 600, "1day" => 86_400, "90 seconds" => 90, "2 weeks" => 1_209_600}
      .each { |text, ago|
      assert_equal NOW - ago, moment(text), text
    }
  end

  def test_days_that_are_named_begin_at_midnight
    today = Time.at(NOW).to_date
    assert_equal [today, today - 1].map { |day| Time.local(day.year, day.month, day.day).to_i },
      [moment("today"), moment("yesterday")]
  end

  def test_dates_and_times
    assert_equal Time.utc(2026, 11, 21, 12, 3, 4).to_i, moment("2026-11-21T12:03:04Z")
    assert_equal Time.utc(2026, 11, 21, 3, 3, 0).to_i, moment("2026-11-21T12:03+09:00")
    assert_equal moment("2026-11-21T12:03+09:00"), moment("2026-11-21 12:03 +0900")
    assert_equal Time.local(2026, 11, 21, 12, 3).to_i, moment("2026-11-21 12:03")
    assert_equal Time.local(2026, 11, 21).to_i, moment("2026-11-21")
  end

  def test_an_invalid_time_lists_the_valid_ones
    ["tomorrow", "", "1", "h", "--1h", "1y", "ago", "1 hourly", "1h before",
      "2026-13-01", "2026-02-30", "2026-11-21T25:00", "2026-11-21T12",
      "1h\n", "9" * 40 + "d", "99999999d", "0000-01-01", "9999-12-31"].each do |text|
      error = assert_raises(Holdup::UsageError, text) { moment(text) }
      assert_match(/30m, 1h, 2d.*yesterday.*2026-11-21T12:03:00/, error.message)
    end
  end

  def test_lengths_of_time
    assert_equal [2400, 7200, 86_400, 7200],
      ["40m", "2h", "1d", "2 hours"].map { |text| Values.span("--for", text) }
    %w[5 30s 1y -1h 99999999d].each do |text|
      error = assert_raises(Holdup::UsageError) { Values.span("--for", text) }
      assert_match(/such as 40m, 2h or 1d/, error.message)
    end
  end

  def test_choices
    assert_equal :wall, Values.choice("--sort", "wall", %i[wall count])
    assert_match(/did you mean count\?/,
      assert_raises(Holdup::UsageError) {
        Values.choice("--sort", "coutn",
          %i[wall count])
      }.message)
    assert_match(/one of wall, count/,
      assert_raises(Holdup::UsageError) {
        Values.choice("--sort", "q",
          %i[wall count])
      }.message)
  end

  def test_numbers
    assert_equal 5, Values.whole("--threads", "5", 1..9)
    assert_in_delta 0.5, Values.seconds("--interval", "0.5", 0.1..9)
    %w[0 10 five 1e3 5.5].each do |text|
      assert_raises(Holdup::UsageError, text) { Values.whole("--threads", text, 1..9) }
    end
    %w[0 nan inf ten].each do |text|
      assert_raises(Holdup::UsageError, text) { Values.seconds("--interval", text, 0.1..9) }
    end
  end

  def test_lists
    assert_equal [1, 2, 5], Values.list("--n", "5, 1,2,5", 1..9)
    assert_equal %w[on off], Values.parts(" on,off ")
  end

  def test_lengths_are_said_exactly
    said = {30 => "30 s", 59 => "59 s", 60 => "1 min", 90 => "90 s", 180 => "3 min", 3600 => "1 h",
            5400 => "90 min", 86_400 => "24 h"}
    assert_equal said, said.keys.to_h { |seconds| [seconds, Values.length(seconds)] }
    assert_equal %w[30s 36m 2h], [30, 2160, 7200].map { |seconds| Values.length(seconds, "") }
  end

  # As from a variable of the shell that is not set.
  def test_an_empty_list_is_a_wrong_value
    ["", ",", ",,", " ", "1,,2"].each do |text|
      error = assert_raises(Holdup::UsageError, text.inspect) { Values.list("--n", text, 1..9) }
      assert_match(/--n can't be ""/, error.message, text.inspect)
    end
  end

  def test_factors_and_time_slices
    assert_equal [1.5, 2.0, 0.5], %w[x1.5 2 x0.5].map { |text| Values.factor("--load", text) }
    assert_equal 10_000_000, Values.time_slice("--slice", "10ms")
    %w[x x0 -1 twice].each do |text|
      assert_raises(Holdup::UsageError, text) { Values.factor("--load", text) }
    end
    %w[10 2s 1us].each do |text|
      assert_raises(Holdup::UsageError, text) { Values.time_slice("--slice", text) }
    end
  end
end
