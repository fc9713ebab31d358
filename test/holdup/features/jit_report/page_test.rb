# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::JitReport::Page::WarmUpChartTest < Minitest::Test
  include JitSamples

  NS = 1_000_000_000

  def charted(*samples, **)
    words = Holdup::View::Words.new("en")
    Holdup::JitReport::Page::WarmUpChart.new(jits(*samples, **).lives, every_s: 60, words:)
  end

  def test_processes_are_laid_over_each_other_by_their_age
    chart = charted(life(0, minutes: 3), life(1, minutes: 2, born: 600)).to_h["warm_up"]
    assert_equal [60, 120, 180].map { |age_s| age_s * NS }, chart.x.values
    assert_equal ["puma worker 0", "puma worker 1"], chart.series.map(&:label)
    assert_equal [[1000.0, 2.0, 1.0], [1000.0, 2.0, nil]], chart.series.map(&:values)
  end

  def test_the_table_has_all_of_it
    block = charted(life(0, minutes: 3)).block(50)
    assert_equal %w[warm_up compiled jit_memory], block.names.keys
    assert_equal ["0", "60.0 s", "120 s", "180 s"], block.twin.rows.map(&:first)
    assert_equal [block.twin.columns.size], block.twin.rows.map(&:size).uniq
    assert_match(/2 more/, charted(life(0, minutes: 3)).block(2).twin.notes.first)
  end

  def test_facts_without_a_value_are_not_drawn
    assert_equal %w[compiled jit_memory], charted(life(0, jit_interpreted_instructions: nil)).to_h.keys
    assert_empty charted(life(0, minutes: 0)).to_h
    assert_nil charted.block(50)
  end
end

class Holdup::JitReport::PageTest < Minitest::Test
  include JitSamples

  Query = Struct.new(:limit)

  # @return [Hash{String => String}] column => text of the first process
  def row(setting, language: "en")
    report = jits(life(setting: setting.fingerprint), settings: [setting])
    page = Holdup::JitReport::Page.new(context: nil, store: nil, query: Query.new(9),
      words: Holdup::View::Words.new(language))
    page.define_singleton_method(:summary) { Struct.new(:jits).new(report) }
    table = page.send(:lives_table)
    table.columns.zip(table.rows.first).to_h
  end

  def test_with_statistics_the_effect_is_not_known
    assert_equal "not known: statistics are on", row(jit_setting(jit_stats: "on"))["works"]
    assert_equal "not known", row(jit_setting)["works"]
    assert_equal "yes", row(jit_setting(jit_effective: true))["works"]
  end
end
