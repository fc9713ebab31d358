# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::KeptCapturesTest < Minitest::Test
  Kept = Data.define(:id, :header, :facts, :events)
  Header = Data.define(:process_name)
  FACTS = {"trigger" => "rule", "rule" => "stall 50 ms", "unit" => "GET /light", "stalled_ns" => 90_000_000,
           "wall_ns" => 108_000_000, "holder" => "GET /hog", "holder_ns" => 88_000_000}.freeze

  def kept(id: "20261121T180807Z-7", header: Header.new(process_name: "worker 0"), facts: FACTS,
    events: 1234)
    Kept.new(id:, header:, facts:, events:)
  end

  def text(*all, language: "en", width: 400)
    words = Holdup::View::Words.new(language)
    page = Holdup::Captures::TimelineReport::KeptCaptures.new(all, words:).page
    Holdup::View::Text.new(page, width:).call
  end

  def line(**rest) = text(kept(**rest)).lines[2]

  def test_says_whom_it_caught_for_whom_that_waited_and_why_it_was_taken
    assert_equal "20261121T180807Z-7  GET /light waited 90.0 ms of 108 ms for the GVL, " \
      "88.0 ms of it for GET /hog. 1,234 events of worker 0. By rule: stall 50 ms.\n", line
  end

  def test_each_way_to_take_one
    {"rule" => "By rule: stall 50 ms.", "until" => "Taken by command (--until): stall 50 ms.",
     "dashboard" => "Taken in the dashboard or in `holdup top`.",
     nil => "Taken by command.", "later" => "Taken by command."}
      .each do |trigger, sentence|
      assert line(facts: FACTS.merge("trigger" => trigger)).end_with?(" #{sentence}\n"), trigger
    end
  end

  def test_one_that_caught_nothing_has_only_its_events
    assert_equal "20261121T180807Z-7  1,234 events of worker 0. Taken by command.\n", line(facts: {})
    assert_match(/  1 event of worker 0\./, line(facts: {}, events: 1))
  end

  def test_a_unit_that_waited_for_no_one_in_particular
    [FACTS.except("holder"), FACTS.except("holder_ns")].each do |facts|
      assert_match(/waited 90\.0 ms of 108 ms for the GVL\. 1,234 events/, line(facts:))
    end
  end

  # The file is data of whoever wrote it: numbers may be texts.
  def test_facts_of_another_kind_are_not_figures
    assert_match(/GET \/light waited unknown of unknown for the GVL, unknown of it for GET \/hog\./,
      line(facts: FACTS.merge("stalled_ns" => "90", "wall_ns" => nil, "holder_ns" => [1])))
    assert_match(/\A20261121T180807Z-7  7 waited 90\.0 ms/, line(facts: FACTS.merge("unit" => 7)))
  end

  def test_names_can_not_write_to_the_terminal
    hostile = FACTS.merge("unit" => "\e[31m", "holder" => "\u202E\a", "rule" => "\n\n")
    shown = text(kept(facts: hostile))

    refute_match(/[\e\a\u202E]/, shown)
    assert_equal 4, shown.lines.size
  end

  def test_one_that_can_not_be_read_is_listed
    shown = text(kept, kept(id: "20261121T180000Z-8", header: nil, facts: {}))

    assert_match(/: 2$/, shown.lines.first)
    assert_equal "20261121T180000Z-8  It is damaged.\n", shown.lines[3]
  end

  def test_sentences_begin_in_one_column
    shown = text(kept(id: "short"), kept(id: "20261121T180807Z-123456"))
    columns = shown.lines[2..3].map { |one| one.index("GET /light") }

    assert_equal 1, columns.uniq.size
  end

  def test_long_sentences_wrap_under_their_beginning
    rows = text(kept, width: 60).lines(chomp: true).drop(2)
    lines = rows.take_while { |one| !one.start_with?("  `holdup") }

    assert_operator lines.size, :>, 2
    lines.each { |one| assert_operator one.size, :<=, 60 }
    lines.drop(1).each { |one| assert_match(/\A {20}\S/, one) }
  end

  def test_without_any_it_says_how_to_take_one
    shown = text
    assert_match(/\ANo capture is stored\. `holdup capture` takes one/, shown)
    refute_match(/newest first/, shown)
    assert shown.end_with?("\n")
  end

  def test_in_japanese
    shown = text(kept, language: "ja")
    assert_match(/1 件/, shown.lines.first)
    ["GET /light", "GET /hog", "90.0 ms", "stall 50 ms"].each { |part| assert_includes shown, part }
  end
end
