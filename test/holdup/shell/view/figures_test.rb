# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::FiguresTest < Minitest::Test
  Figures = Holdup::View::Figures

  def test_durations_have_three_digits_and_the_unit_that_fits
    {
      nil => "-",
      0 => "0",
      0.2 => "0",
      850 => "850 ns",
      1_234 => "1.23 us",
      34_210_000 => "34.2 ms",
      999_900_000 => "1.00 s",
      1_234_000_000 => "1.23 s",
      119_000_000_000 => "119 s",
      720_000_000_000 => "12.0 min",
      36_000_000_000_000 => "10.0 h",
      -5_000_000 => "-5.00 ms"
    }.each { |ns, text| assert_equal text, Figures.duration(ns), ns.inspect }
  end

  def test_durations_never_get_wide
    random = Random.new(3)
    10_000.times { assert_operator Figures.duration((10**(random.rand * 17)).round).size, :<=, 8 }
  end

  def test_counts
    {nil => "-", 0 => "0", 999 => "999", 1_234_567 => "1,234,567", 16.8 => "17"}.each { |number, text|
      assert_equal text, Figures.count(number)
    }
    {nil => "-", 999_999 => "999,999", 1_234_567 => "1.23 M",
     12_345_678_901 => "12.3 G"}.each { |number, text|
      assert_equal text, Figures.short_count(number)
    }
  end

  def test_shares
    {nil => "-", 0.0 => "0 %", 0.0001 => "<0.1 %", 0.298 => "29.8 %", 1.0 => "100 %", 0.9999 => "100 %",
     -0.05 => "-5.0 %", -0.0004 => "0 %"}
      .each { |share, text|
      assert_equal text, Figures.share(share)
    }
  end

  def test_shares_of_no_number_are_unknown_and_nothing_has_no_sign
    assert_equal "0 %", Figures.share(-0.0)
    ways = %i[share bare_share rounded_share]
    assert_equal ["-", "-", "-"], ways.map { |way| Figures.send(way, Float::NAN) }
  end

  def test_bytes
    {nil => "-", 0 => "0 B", 999 => "999 B", 1_234 => "1.23 kB", 999_400 => "999 kB", 999_600 => "1.00 MB",
     1_234_567 => "1.23 MB", -5_000_000 => "-5.00 MB"}.each { |bytes, text|
      assert_equal text, Figures.bytes(bytes)
    }
  end

  def test_changes_of_nothing_have_no_sign
    {0.0 => "0.0", -0.0001 => "0.0", 0.0004 => "0.0", -0.001 => "-0.1",
     0.298 => "+29.8"}.each { |change, text|
      assert_equal text, Figures.change(change)
    }
    assert_equal %w[0 +1 -12], [-0.004, 0.006, -0.12].map { |change| Figures.change(change, 0) }
  end

  def test_rates
    {nil => "-", 0.0 => "0", 0.001 => "<0.01", 3.426 => "3.43", 16.77 => "16.8",
     1234.0 => "1,234"}.each { |rate, text|
      assert_equal text, Figures.rate(rate)
    }
  end

  def test_time_that_passes_has_no_digits_after_the_point
    {nil => "-", 0 => "0 s", 59 => "59 s", 100 => "2 min", 1860 => "31 min", 3600 => "60 min", 7200 => "2 h",
     200_000 => "2 d"}
      .each { |seconds, text|
      assert_equal text, Figures.rough(seconds && seconds * 1_000_000_000)
    }
  end
end
