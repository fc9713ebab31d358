# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::WindowBatchTest < Minitest::Test
  include SampleMinutes

  def test_a_minute_goes_to_the_finest_tier_only
    assert_equal [[60, SampleMinutes::MINUTE_START]], rows([minute]).map { |row| [row.seconds, row.start_s] }
  end

  def test_a_late_minute_goes_to_every_tier_that_has_passed_it
    start_s = SampleMinutes::MINUTE_START
    found = rows([minute(7)], rolled: start_s + 3600)

    expected = [[60, start_s + 420], [300, start_s + 300], [3600, start_s], [86_400, start_s]]
    assert_equal(expected, found.map { |row| [row.seconds, row.start_s] })
  end

  def test_windows_of_one_row_are_merged_before_they_are_written
    found = rows([minute(1), minute(1), minute(2)], rolled: SampleMinutes::MINUTE_START + 300)

    assert_equal [2, 3, 3, 3, 1], found.map(&:count)
    assert_equal [60, 300, 3600, 86_400], found.map(&:seconds).uniq
  end

  def test_a_longer_window_goes_to_the_tiers_from_its_length_on
    long = minute.with(seconds: 300)
    assert_raises(ArgumentError) { rows([long]) }
    found = rows([long], rolled: SampleMinutes::MINUTE_START + 3600, lengths: [60, 300])

    assert_equal [300, 3600, 86_400], found.map(&:seconds)
  end

  private

  def rows(windows, rolled: 0, **options)
    tiers = Holdup::Store::Tier.fresh.map { |tier| tier.with(rolled_to_s: rolled) }
    Holdup::Store::WindowBatch.new(windows, **options).rows(tiers)
  end
end
