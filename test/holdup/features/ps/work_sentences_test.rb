# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/running_units"

class Holdup::Ps::WorkSentencesTest < Minitest::Test
  include RunningUnits

  def sentences(language = "en")
    Holdup::Ps::WorkSentences.new(words: Holdup::View::Words.new(language))
  end

  # @return [String] the state of the only request
  def state(gvl: nil, language: "en", **facts)
    sentences(language).state(work(open_process(open_unit("A#x", **facts), gvl:)).rows.first)
  end

  def hold(process, language = "en") = sentences(language).hold(work(process).holds.first)

  def test_who_holds_the_gvl
    assert_equal "pid 4711: ReportsController#sales holds the GVL for 41.2 s, " \
      "last seen at sales_report.rb:30 (SalesReport#rows)", hold(hogged)
  end

  def test_a_long_hold_without_a_place_is_in_c
    units = hogged.units.map { |unit| unit.with(place: nil) }
    assert_equal "pid 4711: ReportsController#sales holds the GVL for 41.2 s, place unknown (C code)",
      hold(hogged.with(units:))
  end

  def test_a_short_hold_without_a_place
    units = hogged.units.map { |unit| unit.with(place: nil) }
    assert_equal "pid 4711: ReportsController#sales holds the GVL for 500 ms",
      hold(hogged.with(units:, gvl: held(4718, lasted_s: 0.5)))
  end

  def test_a_thread_outside_of_requests_holds_it
    waiting = open_unit("A#x", lasted_s: 1, state: :gvl)
    assert_equal "pid 4711: (thread) main holds the GVL for 2.00 s",
      hold(open_process(waiting, gvl: held(2, lasted_s: 2, name: "thread:main")))
    assert_equal "pid 4711: a thread outside requests and jobs holds the GVL for 2.00 s",
      hold(open_process(waiting, gvl: held(2, lasted_s: 2)))
  end

  def test_an_old_look_says_its_age
    assert_equal "pid 4711: (thread) main holds the GVL for 10.0 s, place unknown (C code), as of 5.00 s ago",
      hold(open_process(gvl: held(2, lasted_s: 15, seen_s: 5, name: "thread:main")))
  end

  def test_waiting_for_the_gvl_names_its_holder
    assert_equal "waits for the GVL for 1.20 s, held by ReportsController#sales for 41.2 s",
      sentences.state(work(hogged).rows.last)
    assert_equal "waits for the GVL for 1.20 s", state(state: :gvl, lasted_s: 1.2)
  end

  def test_each_state_in_words
    facts = {lasted_s: 2}
    assert_equal "running for 2.00 s", state(state: :running, **facts)
    assert_equal "holds the GVL for 2.00 s", state(state: :running, holder: true, gvl: held(4720), **facts)
    assert_equal "idle for 2.00 s (I/O, a lock or sleep)", state(state: :idle, **facts)
    assert_equal "waits for a database connection for 2.00 s", state(state: :connection, **facts)
    assert_equal "in a call: SQL primary for 2.00 s", state(state: :call, call: "sql primary", **facts)
    assert_equal "in a call for 2.00 s", state(state: :call, **facts)
    assert_equal "state unknown", state
  end

  def test_every_state_has_words_in_every_language
    Holdup::View::Words::LANGUAGES.each_key do |language|
      %i[running gvl idle connection call].each do |one|
        assert_includes state(state: one, lasted_s: 2, language:), "2.00", language
      end
    end
  end

  def test_the_call_in_which_it_waits_for_the_gvl_and_the_place
    assert_equal "waits for the GVL for 2.00 s; in a call: HTTP api.example.com; last seen at a.rb:12 (A#y)",
      state(state: :gvl, lasted_s: 2, call: "http api.example.com", place: "app/a.rb:12 A#y")
  end

  def test_what_has_just_begun_has_no_length
    assert_equal "waits for the GVL", state(state: :gvl, lasted_s: 0)
  end

  def test_a_call_to_a_system_that_is_not_known
    assert_equal "in a call: smtp mail for 2.00 s", state(state: :call, lasted_s: 2, call: "smtp mail")
  end

  def test_an_old_state_says_its_age
    assert_equal "running for 3.00 s; as of 9.00 s ago", state(state: :running, lasted_s: 12, seen_s: 9)
  end

  def test_one_inside_another
    outer = open_unit("Outer#x", elapsed_s: 20)
    inner = open_unit("Inner", elapsed_s: 2, outer: 0, kind: :job, queue: "mail")
    row = work(open_process(outer, inner)).rows.last
    assert_equal "state unknown; inside Outer#x", sentences.state(row)
    assert_equal "Inner [mail]", Holdup::Ps::WorkSentences.name(row.unit)
  end

  def test_japanese
    assert_equal "pid 4711：ReportsController#sales が 41.2 秒前から GVL を保持しています（最後に確認された場所：" \
      "sales_report.rb:30 (SalesReport#rows)）", hold(hogged, "ja")
    assert_equal "GVL 待ち（1.20 秒）、保持しているのは ReportsController#sales（41.2 秒）",
      sentences("ja").state(work(hogged).rows.last)
  end

  def test_names_can_not_command_the_terminal
    text = state(state: :call, lasted_s: 1, call: "sql \e[2J", place: "a\e[1m.rb:1")
    refute_includes text, "\e"
  end
end
