# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::TextTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  Section = Holdup::View::Section
  Part = Holdup::Advise::AdviceFindings::Part
  FindingText = Holdup::Advise::AdviceFindings::FindingText

  def text(*blocks, title: "Title", about: [], style: Holdup::View::Drawing::Style.none, **options)
    Holdup::View::Text.new(Holdup::View::Page.new(title:, about:, blocks:), style:, **options).call
  end

  # Without the title.
  def body(...) = text(...).delete_prefix("Title\n\n")

  def test_an_empty_line_is_between_the_parts_of_a_page
    table = Section.new(title: "Times", columns: %w[name p50], rows: [["A", "1 ms"]])
    assert_equal "Title\nspan\n\nAll is well.\n\nTimes\nname       p50\nA         1 ms\n",
      text(Blocks::Lead.new(text: "All is well."), Blocks::Notes.new(texts: []), table, about: ["span"])
  end

  def test_sentences_are_a_list_and_warnings_have_a_mark
    assert_equal "- one\n- two\n  three\n", body(Blocks::Notes.new(texts: ["one", "two three"]), width: 7)
    assert_equal "! one\n", body(Blocks::Notes.new(texts: ["one"], warning: true))
  end

  def test_what_stands_beside_or_folds_out_follows_in_order
    one, two = %w[one two].map { |text| Blocks::Notes.new(texts: [text]) }
    folded = Blocks::Fold.new(title: "More", inner: [Blocks::Beside.new(main: [one], side: [two])])
    assert_equal body(one, two), body(folded)
  end

  def test_notes_are_set_apart_from_the_rows_above
    table = Section.new(title: "", columns: %w[name p50], rows: [["A", "1 ms"]], notes: ["a note"])
    assert_equal "name       p50\nA         1 ms\n  a note\n", body(table)
  end

  def test_a_row_can_have_a_line_of_its_own_below
    table = Section.new(title: "", columns: %w[name p50], rows: [%w[A 1], %w[B 2], %w[C 3]],
      details: [nil, "in a method with a long name"])
    assert_equal "name      p50\nA           1\nB           2\n  in a me…ong name\nC           3\n",
      body(table, width: 18)
    assert_includes body(table, width: 18, table_width: Holdup::View::Layout::WHOLE),
      "  in a method with a long name\n"
  end

  def test_a_section_without_columns_is_a_list
    assert_equal "Pairs\n- one\n- two\n",
      body(Section.new(title: "Pairs", columns: [], rows: [], notes: %w[one two]))
  end

  def test_facts_have_their_values_in_one_column
    assert_equal "Limits\nvCPUs   2\nメモリ  1 GB\n",
      body(Blocks::Facts.new(title: "Limits", pairs: {"vCPUs" => "2", "メモリ" => "1 GB"}))
  end

  def test_a_finding_has_a_number_and_its_parts_in_one_column
    parts = [Part.new(label: "seen", text: "much", diff: []),
      Part.new(label: "do", text: "less", diff: %w[-a +b])]
    item = FindingText.new(rule: :r, what: "Too much.", parts:)
    findings = Blocks::Findings.new(title: "Findings", items: [item], none: "none", hints: ["Look."])
    assert_equal "Findings\nLook.\n\n1. Too much.\n   seen  much\n   do    less\n         -a\n         +b\n",
      body(findings)
    assert_equal "Findings\nnone\n", body(findings.with(items: []))
  end

  def test_a_command_has_its_purpose_beside_it_or_above
    items = [Blocks::ShellCommand.holdup("report", purpose: "all", options: {"--name" => "it's *"})]
    block = Blocks::Commands.new(title: "Next", items:, notes: ["More."])
    assert_equal "Next\n  holdup report --name 'it'\\''s *'  # all\n  More.\n", body(block)
    assert_equal "Next\n  # all\n  holdup report \\\n    --name 'it'\\''s *'\n  More.\n",
      body(block, width: 30)
  end

  def test_a_brief_split_has_a_legend_instead_of_a_table
    row = Holdup::Analysis::Summary.new(SampleWindows.new.to_a, from_s: 0, to_s: 1 << 40).total
    split = Blocks::Split.of(row, Holdup::View::Words.new)
    brief = body(split.with(brief: true)).lines(chomp: true)
    assert_equal ["Where the time goes", body(split).lines[1].chomp], brief.first(2)
    shares = brief.drop(2).join("  ").scan(/\S \w+ ([\d.]+) %/).flatten
    assert_equal split.rows.map { |each| each.share.delete_suffix(" %") }, shares
  end

  def test_a_legend_has_the_colours_of_the_bar
    row = Holdup::Analysis::Summary.new(SampleWindows.new.to_a, from_s: 0, to_s: 1 << 40).total
    split = Blocks::Split.of(row, Holdup::View::Words.new).with(brief: true)
    painted = text(split, style: Holdup::View::Drawing::Style.new(true))
    assert_match(/^\e\[32m#\e\[0m cpu [\d.]+ %  \e\[33m!\e\[0m starved .*  \e\[31mx\e\[0m GVL wait /, painted)
    assert_equal text(split), painted.gsub(/\e\[\d+m/, "")
  end

  def test_a_check_has_its_level_and_the_remedy_below
    items = [Blocks::Check.new(level: :ok, word: "ok", text: "fine", remedy: nil),
      Blocks::Check.new(level: :warn, word: "warn", text: "odd", remedy: "mend it")]
    checks = Blocks::Checks.new(title: nil, items:, words: %w[ok warn])
    assert_equal "ok    fine\nwarn  odd\n      -> mend it\n", body(checks)
    assert_includes body(checks, style: Holdup::View::Drawing::Style.new(true)), "\e[33mwarn\e[0m  odd"
  end

  def test_what_only_a_browser_can_show_is_left_out
    link = Blocks::SpanLink.new(text: "why", label: "open", params: {})
    assert_equal "Title\n", text(link, Blocks::InlineCharts.new(charts: {}))
  end
end
