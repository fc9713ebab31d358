# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::PairTotalsTest < Minitest::Test
  SAMPLE = SampleWindows.new
  OTHERS = "(others)"

  def totals = @totals ||= Holdup::Export::PairTotals.new

  # @param pairs [Hash{Array(String, String) => Integer}] victim and holder => ns
  def add(pairs, labels = {app: "shop"})
    windows = pairs.map do |(victim, holder), ns|
      SAMPLE.window(victim, kind: :pair, queue: holder, histograms: {stalled: Holdup::Histogram.of_sum(ns)})
    end
    totals.add(windows) { labels }
  end

  def sums
    totals.sums.to_h { |labels, ns| [labels.values_at(:victim, :holder), ns] }
  end

  def test_adds_up_what_each_waited_for_each
    2.times { add({%w[A B] => 300, ["A", "(nobody)"] => 40}) }
    assert_equal({%w[A B] => 600, ["A", "(nobody)"] => 80}, sums)
    assert_equal [{app: "shop", victim: "A", holder: "B"}], totals.sums.keys.first(1)
  end

  def test_weak_pairs_are_the_others_of_their_victim_or_of_all
    add({%w[A B] => 1000, %w[A C] => 10, %w[D C] => 5})
    assert_equal({%w[A B] => 1000, ["A", OTHERS] => 10, [OTHERS, OTHERS] => 5}, sums)
  end

  def test_a_pair_that_becomes_strong_keeps_what_it_had_among_the_others
    add({%w[A B] => 1000, %w[A C] => 10})
    add({%w[A C] => 90})
    assert_equal({%w[A B] => 1000, ["A", OTHERS] => 10, %w[A C] => 90}, sums)
    add({%w[A B] => 100_000, %w[A C] => 1})
    assert_equal 91, sums.fetch(%w[A C])
  end

  # Each commit has other names, some strong: as an application with names without a limit does.
  def test_never_has_more_than_fifty_label_sets_loses_nothing_and_never_falls
    random = Random.new(4)
    all = 0
    200.times do |round|
      before = totals.sums.dup
      pairs = Array.new(40) { ["V#{random.rand(round + 9)}", "H#{random.rand(90)}"] }
        .to_h { |pair| [pair, random.rand(10**random.rand(1..6))] }
      all += pairs.values.sum
      add(pairs, {app: "shop", revision: (round / 20).to_s})
      before.each { |labels, ns| assert_operator totals.sums.fetch(labels), :>=, ns }
      assert_operator totals.sums.size, :<=, 50
      assert_equal all, totals.sums.values.sum
    end
    assert_operator totals.sums.size, :>, 20
  end

  def test_the_strongest_of_a_commit_come_first
    weak = (1..60).to_h { |number| [["W#{number}", "B"], 1000] }
    add({**weak, ["A", "B"] => 50_000})
    assert_equal 50_000, sums.fetch(%w[A B])
    assert_equal 60_000, sums.fetch([OTHERS, OTHERS])
  end
end
