# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../support/advised_recording"

class Holdup::Advise::WhatIfReportTest < Minitest::Test
  WhatIf = Holdup::Advise::Sizing::WhatIf
  ANSWERS = {}

  def report(language: "en", exactness: true, **change)
    change = WhatIf::WhatIfChange.new(**change)
    found = ANSWERS[change] ||= WhatIf.new(AdvisedRecording.recommendation, change, rounds: 4).call
    slo = Holdup::Advise::Sizing::Slo.parse("p95")
    Holdup::Advise::WhatIfReport.new(found, change:, kind: :request, slo:, span: "today", exactness:,
      words: Holdup::View::Words.new(language))
  end

  def table(report) = report.page.blocks.grep(Holdup::View::Section).first

  def test_the_title_says_the_change
    assert_equal "What if 2 processes, a time slice of 10.0 ms? requests, today",
      report(processes: 2, time_slice_ns: 10_000_000).page.title
  end

  def test_before_and_after_stand_side_by_side
    found = table(report(processes: 2))
    assert_equal found.columns.size, found.rows.map(&:size).uniq.fetch(0)
    setting = found.rows.first
    assert_match(/\A1 x \d/, setting[1])
    assert_match(/\A2 x \d/, setting.last)
  end

  def test_nothing_changed_gains_nothing
    found = report(processes: 1).to_h
    assert_equal 0.0, found[:gain]
    assert_equal found[:before], found[:after]
  end

  def test_a_model_that_was_wrong_twice_says_so_first
    [[1, false], [2, true]].each do |misses, said|
      first = wrong(misses).page.blocks.grep(Holdup::View::Blocks::Lead).first.text
      assert_equal said, first.start_with?("Trust this less: the last #{misses} predictions"), first
      assert_equal [first, misses], wrong(misses).to_h.values_at(:text, :misses)
    end
  end

  def wrong(misses)
    change = WhatIf::WhatIfChange.new(processes: 2)
    report(processes: 2)
    slo = Holdup::Advise::Sizing::Slo.parse("p95")
    Holdup::Advise::WhatIfReport.new(ANSWERS.fetch(change).with(misses:), change:, kind: :request, slo:,
      span: "today")
  end

  def test_json_has_the_self_test_unless_the_page_says_it
    assert_equal %i[grade reasons errors], report(processes: 2).to_h[:self_test].keys
    refute_includes report(processes: 2, exactness: false).to_h, :self_test
    assert_equal JSON.parse(JSON.generate(report(processes: 2).to_h)), JSON.parse(report(processes: 2).json)
  end

  def test_a_page_of_its_own_and_blocks_of_another_say_the_same
    whole = report(processes: 2)
    sections = [whole.page.blocks, whole.blocks].map { |blocks| blocks.grep(Holdup::View::Section).first }
    assert_equal sections.first.rows, sections.last.rows
    assert_equal whole.page.title, sections.last.title
  end

  def test_reads_in_japanese
    english, japanese = %w[en ja].map { |language| report(language:, processes: 2).page }
    assert_match(/\p{Hiragana}/, japanese.title)
    assert_equal english.blocks.map(&:class), japanese.blocks.map(&:class)
  end
end
