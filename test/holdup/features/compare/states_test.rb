# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::StatesTest < Minitest::Test
  MINUTES = 6
  CPU = "CPU per request or job"

  def side(label, cpu:, seed: 1, setting: {}, late: 0)
    units = {"A#a" => {ms: {cpu:, stalled: 2, io: 6}, acquisitions: 6, units: 40, blame: 1}}
    sample = SampleWindows.new(units:, minutes: MINUTES, seed:,
      setting: SampleWindows::SETTING.merge(setting))
    windows = sample.to_a.map { |window| window.with(start_s: window.start_s + late) }
    Holdup::Compare::Side.new(label:, windows:, from_s: sample.from_s + late, to_s: sample.to_s + late)
  end

  def comparisons
    @comparisons ||= begin
      before = side("3.3", cpu: 10)
      others = [side("3.4", cpu: 5, setting: {"ruby" => "3.4.9"}, late: 7200),
        side("yjit\e[1m", cpu: 10, seed: 2, setting: {"jit" => "off"}, late: 14_400)]
      others.map { |after| Holdup::Compare::Comparison.new(before, after, rounds: 40) }
    end
  end

  def page(**options) = Holdup::Compare::States.new(comparisons, **options).page

  def section(title, **options)
    page(**options).blocks.grep(Holdup::View::Section).find { |one| one.title.start_with?(title) }
  end

  def words = @words ||= Holdup::View::Words.new

  def figures(...) = section(words.call(:compare_states_figures, base: "3.3"), ...)

  def row(name) = figures.rows.find { |one| one.first == name }

  def test_says_of_each_state_what_it_is_made_of
    about = page.about
    assert_equal 3, about.size
    assert_match(/\A3\.3: 240 requests/, about.first)
    refute_includes about.join, "\e"
  end

  def test_all_states_are_compared_with_the_first
    assert_equal ["3.3", "3.4", "%"], figures.columns.drop(1).first(3)
    cpu = row(CPU)
    before, faster, change, = cpu.drop(1)
    assert_in_delta 0.5, faster.to_f / before.to_f, 0.1
    assert_in_delta(-50, change.to_f, 10)
  end

  def test_marks_a_change_that_is_not_significant
    assert row(CPU)[5].start_with?("~"), "the third state takes as much CPU as the first: #{row(CPU)}"
    refute row(CPU)[3].start_with?("~")
  end

  def test_shows_the_families_that_were_asked_for
    families = [Holdup::Compare::Comparison::Metric::ALL.fetch(:cpu_unit).family]
    asked = figures(families:).rows.map(&:first)
    assert_includes asked, CPU
    assert_operator asked.size, :<, figures.rows.size
    assert_empty asked - figures.rows.map(&:first)
  end

  def test_names_the_settings_that_differ_in_each_state
    rows = section(words.call(:compare_settings)).rows
    assert_equal ["jit", "yjit", "yjit", "off"], rows.find { |fact, *| fact == "jit" }
    assert_equal ["ruby", "3.4.5", "3.4.9", "3.4.5"], rows.find { |fact, *| fact == "ruby" }
    assert_equal 2, rows.size
  end

  # The longest bar is the largest value.
  def test_bars_are_in_proportion
    bars = section(CPU).rows.to_h { |label, _, bar| [label, bar.count("=")] }
    assert_equal 30, bars.values.max
    assert_in_delta 0.5, bars["3.4"].fdiv(bars["3.3"]), 0.1
    assert_equal [30], section(CPU).rows.map { |*, bar| bar.size }.uniq
  end

  def test_sentences_of_a_comparison_begin_with_its_state
    lead = page.blocks.first.text
    beginning = words.call(:compare_state_against, label: "3.4", base: "3.3", text: "").strip
    assert lead.start_with?(beginning), lead
    limits = page.blocks.last.notes
    assert_equal limits.uniq, limits
  end
end
