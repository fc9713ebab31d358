# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::CheckSentenceTest < Minitest::Test
  # Sentences that this test knows.
  class Said
    def call(key, **facts) = [key, facts]

    def key?(_key) = false
  end

  def test_facts_of_others_are_cleaned
    key, facts = said(:skipped, names: "a\e[31mb", count: 3)
    assert_equal :doctor_skipped, key
    assert_equal({names: "a?[31mb", count: "3"}, facts)
  end

  def test_durations_are_by_their_name_and_long_ones_without_tenths
    _, facts = said(:slow, took_ns: 1_500_000, since_ns: 150_000_000_000, left_ns: nil)
    assert_equal Holdup::View::Figures.duration(1_500_000), facts[:took_ns]
    assert_equal Holdup::View::Figures.rough(150_000_000_000), facts[:since_ns]
    refute_equal Holdup::View::Figures.duration(150_000_000_000), facts[:since_ns]
  end

  def test_a_lever_has_how_and_where
    words = Holdup::View::Words.new("en")
    facts = {name: "threads", value: "5", how: nil, write: "threads 3, 3", where: "config/puma.rb:7"}
    assert_equal "threads is 5 (config/puma.rb:7); at a restart: threads 3, 3",
      Holdup::View::CheckSentence.call(words, :lever_where, facts)
  end

  private

  def said(key, **facts) = Holdup::View::CheckSentence.call(Said.new, key, facts)
end
