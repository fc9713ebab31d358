# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::ChainSentenceTest < Minitest::Test
  include ExampleUnits

  WaitChain = Holdup::Analysis::WaitChain
  Place = Struct.new(:label, :location)

  def sentence(*links, language: "en")
    chain = WaitChain.new(links: links.map { |link| link(*link) })
    Holdup::Report::ChainSentence.new(Holdup::View::Words.new(language)).call(chain)
  end

  def link(kind, wait_ms, holder, held_ms, waiter = "A#b", place: nil)
    WaitChain::WaitLink.new(waiter:, kind:, wait_ns: wait_ms * MS, holder:, held_ns: held_ms * MS, place:)
  end

  def test_each_kind_of_wait
    assert_equal "Waited 240 ms for the GVL: Sales#report held it 217 ms.",
      sentence([:pair, 240, "Sales#report", 217])
    assert_equal "Waited 90.0 ms for a connection: ReplenishJob kept connections for 80.0 ms of it.",
      sentence([:pool_pair, 90, "ReplenishJob", 80])
    assert_equal "Waited 60.0 ms for a lock: PriceSync ended 50.0 ms of it.",
      sentence([:lock_pair, 60, "PriceSync", 50])
    assert_equal "Waited 30.0 ms for SQL primary.", sentence([:call, 30, "sql primary", 30])
  end

  def test_further_links_are_means_of_the_minute
    text = sentence([:pool_pair, 90, "J", 80], [:pair, 40, "Sales#report", 30, "J"],
      [:call, 9, "http a", 9, "Sales#report"])
    assert_includes text, "of it. In that minute J waited 40.0 ms on average for the GVL: " \
      "Sales#report held it 30.0 ms. In that minute Sales#report waited 9.00 ms on average for HTTP a."
  end

  def test_says_a_place_once
    place = Place.new(label: "Report#rows", location: "app/report.rb:3")
    links = [link(:pair, 90, "Sales#report", 80, place:), link(:pair, 9, "Sales#report", 8, "J", place:)]
    text = Holdup::Report::ChainSentence.new(Holdup::View::Words.new).call(WaitChain.new(links:))
    assert_equal 1, text.scan("Report#rows, report.rb:3").size, text
  end

  # A table of the slowest has room for two sentences.
  def test_a_brief_cause_leaves_out_that_requests_of_one_name_wait_for_each_other
    links = [[:pair, 90, "Sales#report", 80], [:pair, 9, "Sales#report", 8, "Sales#report"],
      [:call, 9, "sql primary", 9, "Sales#report"], [:call, 9, "http a", 9, "X"]]
    chain = WaitChain.new(links: links.map { |one| link(*one) })
    text = Holdup::Report::ChainSentence.new(Holdup::View::Words.new).cause(nil, chain, brief: true)
    assert_equal "Waited 90.0 ms for the GVL: Sales#report held it 80.0 ms. " \
      "In that minute Sales#report waited 9.00 ms on average for SQL primary.", text
  end

  def test_says_where_nobody_is_named
    assert_includes sentence([:pair, 9, nil, 8]), "GVL: one that had not ended yet held it"
    assert_includes sentence([:pair, 9, "(others)", 8]), "GVL: (others) held it"
    assert_includes sentence([:pair, 9, "thread:puma", 8]), "GVL: (thread) puma held it"
  end

  def test_a_hand_off_has_no_holder
    assert_equal "Waited 9.00 ms for the GVL; for 8.00 ms of it no thread held it (hand-off).",
      sentence([:pair, 9, "(nobody)", 8])
    assert_includes sentence([:pair, 90, "J", 80], [:pair, 40, "(nobody)", 30, "J"], language: "ja"),
      "J は平均 40.0 ms GVL を待ちました。そのうち 30.0 ms は、どのスレッドも GVL を持っていませんでした（受け渡し）。"
  end

  def test_a_wait_for_one_that_is_not_known
    assert_equal "Waited 9.00 ms for the GVL; it is not known who had it.",
      sentence([:pair, 9, "(unknown)", 0])
    assert_equal "Waited 9.00 ms for a lock; it is not known who had it.", sentence([:lock_pair, 9, "A", 0])
    assert_equal "接続を 9.00 ms 待ちました。使っていた処理は分かりません。",
      sentence([:pool_pair, 9, "(unknown)", 0], language: "ja")
    assert_includes sentence([:pair, 90, "J", 80], [:pair, 40, "(unknown)", 0, "J"]),
      "In that minute J waited 40.0 ms on average for the GVL; it is not known who had it."
  end

  def test_japanese
    text = sentence([:pair, 240, "Sales#report", 217], [:call, 9, "http a", 9, "Sales#report"],
      language: "ja")
    assert_equal "GVL を 240 ms 待ちました。そのうち 217 ms は、Sales#report が GVL を持っていたためです。" \
      "この 1 分間に Sales#report は平均 9.00 ms HTTP a を待ちました。", text
  end

  def test_a_line_has_the_time_and_says_nothing_without_a_chain
    slow = slow_unit(0, stalled_ns: 90 * MS, parts: [[:pair, "Sales#report", 80 * MS]])
    words = Holdup::Report::ChainSentence.new(Holdup::View::Words.new)
    explained = Holdup::Queries::SlowestUnitsQuery::ExplainedUnit
    line = words.line(explained.new(slow:, chain: WaitChain.of(slow, [])))
    assert_match(/\A2024-10-0\d \d\d:\d\d:00 \S+, 118 ms: Waited 90.0 ms for the GVL: Sales/, line)
    assert_nil words.line(explained.new(slow:, chain: WaitChain.new(links: [])))
  end
end
