# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/advised_recording"

class Holdup::Advise::AdviceTableTest < Minitest::Test
  ADVISED = AdvisedRecording.recommendation

  def table(result: ADVISED.call, limit: 15)
    Holdup::Advise::AdviceTable.new(result, words: Holdup::View::Words.new, limit:).section
  end

  # Whatever the limit: a setting is left out only where another one has fewer threads, no more processes and
  # answers no later.
  def test_settings_that_no_other_one_beats_are_shown
    table = table(limit: 1)
    now = ADVISED.now
    plain = ADVISED.predictions.select do |one|
      one.allowed? && one.replayed? && one.candidate.time_slice_ns == now.time_slice_ns &&
        one.candidate.io_threads == now.io_threads
    end
    unbeaten = plain.reject { |one| plain.any? { |other| beats?(other, one) } }
    names = unbeaten.map { |one| "#{one.candidate.processes} x #{one.candidate.threads}" }
    assert_operator names.size, :>, 2
    assert_operator names.size, :<, plain.size
    assert_empty names - table.rows.map { |row| row.first.delete("*<-").strip }
  end

  def test_the_replay_of_the_present_stands_below_what_was_measured
    slower = ADVISED.current.responses.transform_values { |ns| 2 * ns }
    replayed = ADVISED.call
    advised = replayed.with(measured: replayed.current.with(responses: slower))
    table = table(result: advised)
    at = table.rows.index { |row| row.first.include?("*") }
    measured, replayed = table.rows[at, 2]
    assert_equal "replayed", replayed.first.strip
    p95 = table.columns.index("p95")
    printed = [slower, ADVISED.current.responses].map { |ns| Holdup::View::Figures.rate(ns[0.95] / 1e6) }
    assert_equal printed, [measured[p95], replayed[p95]]
  end

  def test_the_limit_is_that_of_the_table_of_settings
    few, many = [3, 1000].map { |limit| table(limit:) }

    assert_operator few.rows.size, :<, many.rows.size
    assert_equal ADVISED.predictions.size, many.rows.size
  end

  def beats?(one, other)
    mine, theirs = one.candidate, other.candidate
    mine.processes * mine.threads < theirs.processes * theirs.threads &&
      mine.processes <= theirs.processes && one.responses.fetch(0.95) <= other.responses.fetch(0.95)
  end

  def test_there_is_no_table_without_a_verdict
    assert_nil table(result: nil)
    assert_nil table(result: ADVISED.call.with(verdict: :unknown))
  end
end
