# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::MarkdownTest < Minitest::Test
  Section = Holdup::View::Section

  Blocks = Holdup::View::Blocks

  def page(title: "Report", about: [], lead: "All is well.", remarks: [], sections: [])
    leads = [*lead].map { |text| Blocks::Lead.new(text:) }
    Holdup::View::Page.new(title:, about:, blocks: [*leads, Blocks::Notes.new(texts: remarks), *sections])
  end

  def markdown(...) = Holdup::View::Markdown.new(page(...)).call

  def table(**rest)
    Section.new(title: "Times", columns: %w[name p50 p95], rows: [["A", "1 ms", "2 ms"]], **rest)
  end

  def test_the_title_and_the_lead_stand_out
    assert_equal "# Report\n\n**All is well.**\n", markdown
  end

  def test_commands_are_code_to_copy
    item = Blocks::ShellCommand.holdup("report", purpose: "all", options: {"--name" => "a*b"})
    commands = Blocks::Commands.new(title: "Next", items: [item], notes: ["More."])
    assert_equal "# Part\n\n## Next\n\n```\nholdup report --name 'a*b'  # all\n```\n\nMore.\n",
      markdown(title: "Part", lead: nil, sections: [commands])
  end

  def test_a_part_of_a_page_has_no_lead
    assert_equal "# Part\n", markdown(title: "Part", lead: nil)
  end

  def test_what_it_is_about_stands_before_the_lead_and_remarks_after_it
    assert_equal "# Report\n\n- one\n- two\n\n**All is well.**\n\n- few\n- short\n",
      markdown(about: %w[one two], remarks: %w[few short])
  end

  def test_a_table_has_its_figures_at_the_right
    expected = "\n\n## Times\n\n| name | p50 | p95 |\n| --- | ---: | ---: |\n| A | 1 ms | 2 ms |\n"
    assert_equal "# Report\n\n**All is well.**#{expected}", markdown(sections: [table])
  end

  def test_the_total_is_the_last_row
    rows = markdown(sections: [table(total: %w[all 3 4])]).lines.grep(/\A\|/)
    assert_equal "| all | 3 | 4 |\n", rows.last
    assert_equal 4, rows.size
  end

  def test_notes_are_paragraphs_under_the_table
    assert_equal "| A | 1 ms | 2 ms |\n\nfirst\n\nsecond\n",
      markdown(sections: [table(notes: %w[first second])])[/\| A .*\z/m]
  end

  # A table right under a line of text is no table.
  def test_an_empty_line_is_before_each_table_and_heading
    text = markdown(remarks: ["x"], sections: [table(notes: ["y"]), table, table(total: %w[a b c])])
    lines = text.lines(chomp: true)
    heads = lines.each_index.select { |index| lines[index].match?(/\A(##|\| name)/) }

    assert_equal 6, heads.size
    heads.each { |index| assert_equal "", lines[index - 1], text }
  end

  def test_a_section_without_columns_is_a_list_of_its_notes
    bare = Section.new(title: "Pairs", columns: [], rows: [], notes: %w[one two])
    assert_equal "## Pairs\n\n- one\n- two\n\n## Times\n",
      markdown(sections: [bare, table])[/## Pairs.*## Times\n/m]
    assert_equal "\n\n## Pairs\n", markdown(sections: [bare.with(notes: [])])[/\n\n## Pairs.*/m]
  end

  def test_one_column_needs_no_figures
    single = Section.new(title: "Names", columns: ["name"], rows: [["A"]])
    assert_includes markdown(sections: [single]), "| name |\n| --- |\n| A |\n"
  end

  def test_cells_lose_their_indentation
    assert_includes markdown(sections: [table(rows: [["  A  ", " 1", "2 "]])]), "| A | 1 | 2 |\n"
  end

  HOSTILE = ["a|b", "*bold*", "_it_", "`code`", "<img src=x>", "[link](x)", "#head", "~~gone~~",
    "back\\slash", "\\|"].freeze

  # Names come from requests. GitHub shows what is behind a backslash as it is.
  def test_markup_in_names_is_text_everywhere
    HOSTILE.each do |name|
      text = markdown(title: name, lead: name, about: [name], remarks: [name],
        sections: [table(title: name, rows: [[name, "1", "2"]], notes: [name], total: [name, "1", "2"])])
      shown = text.gsub(/\\([\\`*_|<>\[\]~#])/) { "\u0001" }

      assert_empty shown.scan(/[`_<>\[\]~\\]/), text
      assert_equal ["**"] * 2, shown.scan(/\*+/), text
      assert_equal [4], shown.lines.grep(/\A\|/).map { |line| line.count("|") }.uniq, text
      assert_equal 8, text.gsub(/\\([\\`*_|<>\[\]~#])/, '\1').scan(name).size, text
    end
  end

  def blocks(*blocks)
    page = Holdup::View::Page.new(title: "Report", blocks:)
    Holdup::View::Markdown.new(page).call.delete_prefix("# Report\n\n")
  end

  def test_a_finding_has_a_heading_and_its_change_as_a_diff
    part = Holdup::Advise::AdviceFindings::Part
    parts = [part.new(label: "seen", text: "much", diff: []),
      part.new(label: "do", text: "less", diff: %w[-a +b])]
    item = Holdup::Advise::AdviceFindings::FindingText.new(rule: :r, what: "Too much.", parts:)
    findings = Blocks::Findings.new(title: "Findings", items: [item], none: "none", hints: ["Look."])
    assert_equal "## Findings\n\nLook.\n\n### Too much.\n\n- seen: much\n- do: less\n\n" \
      "  ```diff\n  -a\n  +b\n  ```\n", blocks(findings)
    assert_equal "## Findings\n\nnone\n", blocks(findings.with(items: []))
  end

  def test_a_check_has_its_level_and_the_remedy
    checks = Blocks::Checks.new(title: "Doctor", words: %w[ok warn], items: [
      Blocks::Check.new(level: :ok, word: "ok", text: "fine", remedy: nil),
      Blocks::Check.new(level: :warn, word: "warn", text: "odd", remedy: "mend it")
    ])
    assert_equal "## Doctor\n\n- **ok** fine\n- **warn** odd\n  mend it\n", blocks(checks)
  end

  def test_what_is_drawn_with_characters_is_code
    chart = Holdup::View::Chart
    line = chart::Line.new(label: "speed", values: [1.0, 2.0])
    axis = chart::Axis.new(unit: :count, values: [1, 2])
    plot = chart.new(kind: :line, unit: :rate, series: [line], x: axis)
    text = blocks(Blocks::InlineCharts.new(charts: {"Speed" => plot}, plotted: "Speed"))
    assert_match(/\A## Speed\n\n```\n# speed\n  1 \|#+\n  2 \|#+\n```\n\z/, text)
  end

  def test_what_stands_beside_or_folds_out_follows_in_order
    note = ->(text) { Blocks::Notes.new(texts: [text]) }
    beside = Blocks::Beside.new(main: [note.call("one")], side: [note.call("two")])
    folded = Blocks::Fold.new(title: "More", inner: [beside, note.call("three")])
    assert_equal blocks(note.call("one"), note.call("two"), note.call("three")), blocks(folded)
  end

  def test_what_to_do_first_is_its_sentences
    action = Blocks::Action.new(title: "Do this first", what: "A holds it.", text: "Move it.", links: [],
      copy: "**A holds it.** Move it.")
    assert_equal "## Do this first\n\n- A holds it.\n- Move it.\n", blocks(action)
  end

  def test_charts_of_a_browser_are_their_table
    charts = Blocks::FetchedCharts.new(title: "Over time", names: {}, twin: table)
    assert_equal blocks(table), blocks(charts)
    assert_equal "# Report\n", blocks(Blocks::InlineCharts.new(charts: {}))
  end
end
