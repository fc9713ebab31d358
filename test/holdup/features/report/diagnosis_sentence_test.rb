# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::DiagnosisSentenceTest < Minitest::Test
  def summary
    sample = SampleWindows.new
    @summary ||= Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
      pairs: sample.pairs)
  end

  def sentence(name, **options)
    row = summary.rows.find { |one| one.name == name }
    Holdup::Report::DiagnosisSentence.new(summary, words: Holdup::View::Words.new, **options).call(row)
  end

  def test_a_holder_is_named_for_that
    assert_match(/\Aholds the GVL, \d+ % of all waits/, sentence("ReportsController#sales"))
  end

  def test_for_whom_it_waits_is_a_link_where_it_has_a_page
    link = ->(row) { Holdup::View::Blocks::Link.new(text: row.name, page: "endpoint") }
    text = /\AGVL: \d+ % of its time; waits \d+ % for ReportsController#sales/

    assert_match(text, sentence("OrdersController#index"))
    assert_equal "endpoint", sentence("OrdersController#index", link:).page
  end
end
