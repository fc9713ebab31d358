# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::BlocksTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  ShellCommand = Blocks::ShellCommand

  def words = @words ||= Holdup::View::Words.new

  # A request of 100 ms: 60 stalled, 39.7 cpu, 0.3 io.
  def row
    sample = SampleWindows.new
    wall, stalled = [100, 60].map { |ms| Holdup::Histogram.of([ms * 1_000_000]) }
    window = sample.window("Orders#index", count: 1, histograms: {wall:, stalled:},
      sums: {cpu_ns: 39_700_000, io_ns: 300_000})
    Holdup::Analysis::Summary.new([window], from_s: sample.from_s, to_s: sample.to_s).total
  end

  def test_a_split_has_a_row_for_each_state
    split = Blocks::Split.of(row, words)
    assert_equal row.split.members, split.rows.map(&:state)
    stalled = split.rows.find { |one| one.state == :stalled }
    assert_equal ["60.0 ms", "60.0 ms"], [stalled.each, stalled.sum]
    assert_in_delta 60, stalled.share.to_f, 2
    assert_equal [words.call(:meaning_stalled)], split.plain.rows.map(&:last).grep(/#{stalled.meaning}/)
  end

  def test_the_table_of_a_split_has_the_symbols_of_its_bar
    table = Blocks::Split.of(row, words).table
    symbols = Holdup::View::Drawing::Bar::SYMBOLS
    assert_equal symbols.values_at(*row.split.members), table.rows.map { |name, *| name[0] }
    assert table.columns.last.words, "its last column has sentences"
  end

  def test_a_bar_names_the_states_that_can_be_seen_and_draws_all
    bar = Blocks::Bar.of(row.split, words)
    assert_equal row.split.members, bar.parts.keys
    assert_match(/GVL wait 60\.0 %/, bar.to_s)
    refute_match(/\bio\b/, bar.to_s)
  end

  # A word that does not fit is cut off in the middle.
  def test_a_part_of_a_bar_has_a_text_only_if_all_of_it_fits
    bar = Blocks::Bar.new(parts: {cpu: 0.16, stalled: 0.16}, label: "",
      texts: {cpu: "cpu 7.50 ms", stalled: "GVL wait 7.50 ms"})

    assert_equal ["cpu 7.50 ms", nil], [bar.text_on(:cpu), bar.text_on(:stalled)]
    assert_nil bar.with(texts: {}).text_on(:cpu)
  end

  # Readers paste it into a shell.
  def test_an_argument_of_a_command_is_quoted_unless_it_is_plain
    assert_equal "web-1:3000/x=y@z_a.b", ShellCommand.quoted("web-1:3000/x=y@z_a.b")
    assert_equal "'Orders*'", ShellCommand.quoted("Orders*")
    assert_equal "'it'\\''s'", ShellCommand.quoted("it's")
    assert_equal "''", ShellCommand.quoted("")
    ["$(id)", "`id`", "a b", "a;b", "é\nb", "a\u202Eb"].each do |text|
      assert_equal Holdup::View::Width.clean(text), Shellwords.split(ShellCommand.quoted(text)).join, text
    end
  end

  def test_a_pattern_matches_its_name
    assert_equal "Orders#index", ShellCommand.pattern("Orders#index")
    assert_equal "a?b?c?d?e?f", ShellCommand.pattern("a*b?c[d]e\\f")
    long = "Admin::" + "Quarterly" * 9
    pattern = ShellCommand.pattern(long)
    assert_operator pattern.size, :<=, ShellCommand::NAME + 1
    assert File.fnmatch?(pattern, long), pattern
  end

  def test_a_command_with_more_options
    command = ShellCommand.holdup("report --full", purpose: "everything", options: {"--name" => "A b"})
    assert_equal "holdup report --full --name 'A b'", command.to_s
    more = command.with_options({"--since" => "1h"})
    assert_equal ["holdup report --full", "--name 'A b'", "--since 1h"], more.words
    assert_equal ["everything: #{command}", "note"],
      Blocks::Commands.new(title: "", items: [command], notes: ["note"]).plain.notes
  end

  Part = Data.define(:label, :text, :diff)
  Item = Data.define(:what, :parts)

  def test_findings_of_a_spreadsheet
    part = Part.new(label: "Change", text: "threads", diff: ["5", "3"])
    items = [Item.new(what: "Fewer threads", parts: [part, part.with(label: "Why", diff: nil)])]
    assert_equal ["Fewer threads", "Change: threads 5 3", "Why: threads"],
      Blocks::Findings.new(title: "", items:, none: "nothing").plain.notes
    assert_equal ["nothing"], Blocks::Findings.new(title: "", items: [], none: "nothing").plain.notes
  end

  def test_checks_of_a_spreadsheet_have_their_remedy_where_there_is_one
    checks = [Blocks::Check.new(level: :ok, word: "ok", text: "fine", remedy: nil),
      Blocks::Check.new(level: :fail, word: "FAIL", text: "none", remedy: "start it")]
    assert_equal ["ok: fine", "FAIL: none start it"],
      Blocks::Checks.new(title: "", items: checks, words: {}).plain.notes
    assert_equal ["a: 1"], Blocks::Facts.new(title: "", pairs: {"a" => 1}).plain.notes
  end

  def test_a_ground_is_darker_for_a_larger_share
    steps = [0, 0.019, 0.02, 0.1, 0.3, 0.5, 0.75, 1].map { |share| Blocks::Heat.new(text: "", share:).step }
    assert_equal [0, 0, 1, 2, 3, 4, 5, 5], steps
  end

  def test_a_moment_is_exact_for_programs
    assert_equal "2026-09-21T14:13:20Z", Blocks::Moment.new(at_s: 1_790_000_000).exact
    assert_match(/\A2026-09-2\d \d\d:\d\d\z/, Blocks::Moment.new(at_s: 1_790_000_000).to_s)
    assert_match(/:20\z/, Blocks::Moment.new(at_s: 1_790_000_000, seconds: true).to_s)
  end

  def test_a_step_leads_to_its_requests
    link = Holdup::View::Blocks::Moment.step(1_790_000_040, 300, {"unit" => "A#b"})

    assert_equal "slowest", link.page
    assert_equal({"unit" => "A#b", "since" => "2026-09-21T14:14:00Z", "until" => "2026-09-21T14:19:00Z"},
      link.params)
    assert_equal Holdup::View::Blocks::Moment.new(at_s: 1_790_000_040).to_s, link.to_s
  end
end
