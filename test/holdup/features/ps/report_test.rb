# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/running_units"

class Holdup::Ps::ReportTest < Minitest::Test
  include RunningUnits

  def text(*processes, language: "en", width: 100, **options)
    report = Holdup::Ps::Report.new(work(*processes), words: Holdup::View::Words.new(language), **options)
    Holdup::View::Text.new(report.page(about: ["web-1 12:00:00"]), width:).call
  end

  def json(*processes, **options)
    Holdup::Ps::Report::Json.new(work(*processes), words: Holdup::View::Words.new, **options).to_h
  end

  def test_begins_with_who_holds_the_gvl
    head, about, _, first = text(hogged).lines(chomp: true)
    assert_equal "What runs now", head
    assert_equal "web-1 12:00:00", about
    assert_match(/\Apid 4711: ReportsController#sales holds the GVL for 41.2 s, last seen at/, first)
  end

  def test_a_row_says_name_time_process_thread_and_state
    assert_match(/^ReportsController#sales +42.0 s +puma 4711 +4718 .*holds the GVL for 41.2 s/, text(hogged))
    assert_match(/^OrdersController#index +12.0 s +puma 4711 +4720 .*waits for the GVL for 1.20 s/,
      text(hogged))
  end

  def test_a_narrow_terminal_loses_columns_and_no_sentence
    narrow = text(hogged, width: 70)
    refute_includes narrow, "objects"
    assert_match(/waits for the GVL for 1.20 s, held by ReportsController#sales for 41.2 s/,
      narrow.lines.last(4).map { |line| line.split("  ").last.strip }.join(" "))
  end

  def test_warns_of_a_pool_that_serves_nothing
    parked = open_process(open_unit("A#x", lasted_s: 30, state: :idle), pools: {"puma" => 1})
    assert_match(/The only thread of a pool \(1\) in process 4711 has waited for 30.0 s or longer in A#x/,
      text(parked, width: 200))
  end

  def test_says_once_that_the_gvl_is_not_released
    refute_includes text(hogged), "has not released"
  end

  def test_one_sentence_where_nothing_runs
    assert_equal ["No request or job runs now in 2 processes."],
      text(open_process, open_process).lines(chomp: true).drop(3)
    assert_equal ["No request or job has run for 50.0 s or longer in 1 process."],
      text(open_process(open_unit("A#x")), longer_ns: 50 * NS).lines(chomp: true).drop(3)
  end

  def test_rows_beyond_the_limit_are_counted
    rows = Array.new(3) { |index| open_unit("A#x#{index}", elapsed_s: 9 - index) }
    shown = text(open_process(*rows), limit: 2)
    assert_includes shown, "A#x1"
    refute_includes shown, "A#x2"
  end

  def test_japanese
    assert_includes text(hogged, language: "ja"), "実行中のリクエストとジョブ"
    assert_includes text(open_process, language: "ja"),
      "1 個のプロセスで、実行中のリクエストやジョブはありません。"
  end

  def test_a_page_says_of_which_host_it_is
    words = Holdup::View::Words.new("en", page: true)
    blocks = Holdup::Ps::Report.new(work(hogged), words:).blocks
    assert_equal "Requests and jobs that run now on this host", blocks.last.title
  end

  def test_json_has_the_facts_of_each_row
    row = json(hogged)[:running].last
    assert_equal "OrdersController#index", row[:name]
    assert_equal :gvl, row[:state]
    assert_equal 1_200_000_000, row[:state_ns]
    assert_equal 12 * NS, row[:elapsed_ns]
    assert_equal "2026-09-21T14:13:08Z", row[:since]
  end

  def test_json_leaves_out_a_line_that_is_not_known
    unit = open_unit("A#x", lasted_s: 2, state: :running, holder: true, place: "lib/a.rb:0 A#x | Array#map")
    shown = json(open_process(unit, gvl: held(unit.thread)))
    places = [shown[:running].first[:place], shown[:processes].first[:holder][:place]]
    assert_equal ["lib/a.rb A#x | Array#map"], places.uniq
  end

  def test_json_says_who_holds_the_gvl_of_each_process
    process = json(hogged, open_process(pid: 4712))[:processes]
    assert_equal "ReportsController#sales", process.first.dig(:holder, :name)
    assert_equal 1, process.first[:waiting]
    assert_nil process.last[:holder]
  end

  def test_json_has_signs_of_hanging_as_keys_and_sentences
    sign = json(hogged)[:hung].first
    assert_equal :hung_gvl, sign[:key]
    assert_match(/has not released the GVL for 41.2 s/, sign[:text])
  end

  def test_json_has_only_longer_ones_if_asked
    assert_equal ["ReportsController#sales"],
      json(hogged, longer_ns: 20 * NS)[:running].map { |row| row[:name] }
  end
end
