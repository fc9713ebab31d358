# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::StallPairsTest < Minitest::Test
  UNITS = {"MailJob" => 100, "PdfJob" => 10}.freeze

  def series(name, kind: :job, queue: nil) = Holdup::Series.new(kind:, name:, queue:)

  # [victim, causer] => ns
  def pairs(figures, units: UNITS)
    windows = figures.map do |(victim, causer), ns|
      empty = Holdup::Window.empty(series: series(victim, kind: :pair, queue: causer))
      empty.with(histograms: empty.histograms.merge(stalled: Holdup::Histogram.of_sum(ns)))
    end
    Holdup::Analysis::StallPairs.new(windows, suffered: units.transform_keys { |name|
      series(name, kind: name.start_with?("thread:") ? :account : :job)
    })
  end

  def shown(pairs) = pairs.map { |pair| [pair.victim.name, pair.causer.name, pair.ns, pair.share.round(2)] }

  def test_what_was_measured_most_first
    found = pairs({%w[MailJob PdfJob] => 72, %w[MailJob (nobody)] => 8, %w[PdfJob MailJob] => 9})
    expected = [["MailJob", "PdfJob", 72, 0.72], ["PdfJob", "MailJob", 9, 0.9],
      ["MailJob", "(nobody)", 8, 0.08]]
    assert_equal expected, shown(found.to_a)
  end

  def test_windows_of_the_same_pair_add_up
    twice = pairs({%w[MailJob PdfJob] => 72}).to_a + pairs({%w[MailJob PdfJob] => 72}).to_a
    assert_equal [72, 72], twice.map(&:ns)
    windows = %w[a b].map { |host|
      empty = Holdup::Window.empty(series: series("MailJob", kind: :pair, queue: "PdfJob"), host:)
      empty.with(histograms: empty.histograms.merge(stalled: Holdup::Histogram.of_sum(30)))
    }
    both = Holdup::Analysis::StallPairs.new(windows, suffered: {series("MailJob") => 100})
    assert_equal [["MailJob", "PdfJob", 60, 0.6]], shown(both.to_a)
  end

  def test_of_chosen_names
    found = pairs({%w[MailJob PdfJob] => 72, %w[PdfJob MailJob] => 9, %w[PdfJob PdfJob] => 1})
    assert_equal %w[MailJob PdfJob], found.of_victims(%w[PdfJob]).map { |pair| pair.causer.name }
    assert_equal %w[MailJob PdfJob], found.of_causers(%w[PdfJob]).map { |pair| pair.victim.name }
  end

  def test_who_is_a_request_a_thread_or_nobody
    found = pairs({%w[MailJob thread:puma] => 4, %w[thread:puma MailJob] => 3, %w[MailJob (nobody)] => 2,
                   %w[MailJob (unknown)] => 1}, units: UNITS.merge("thread:puma" => 3)).to_a
    assert_equal %i[account job nobody unknown], found.map { |pair| pair.causer.kind }
    assert_equal [true, true, false, false], found.map(&:named?)
    assert_equal [true, false, true, true], found.map { |pair| pair.victim.unit? }
  end

  # A holder that ended in this span may have held the GVL in an earlier one.
  def test_a_share_is_never_more_than_all
    assert_in_delta 1.0, pairs({%w[PdfJob MailJob] => 500}).to_a.first.share
    assert_in_delta 0.0, pairs({%w[Gone MailJob] => 500}).to_a.first.share
  end

  def test_units_that_were_not_recorded_are_no_victims
    assert_empty pairs({["(not recorded)", "PdfJob"] => 5}).to_a
    assert_empty pairs({%w[MailJob PdfJob] => 0}).to_a
  end
end
