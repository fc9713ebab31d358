# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/coarse_sizing"
require "support/learned"
require "support/played_store"

class Holdup::Advise::OutcomeReaderTest < Minitest::Test
  include CoarseSizing

  HOUR_S = 3600
  # On the hour, as steps are.
  START_S = PlayedStore::START_S / HOUR_S * HOUR_S
  CHANGED_S = START_S + HOUR_S
  MINUTES = 10

  PLAYED = {}

  # @return [PlayedStore] made once
  def played(from_s, pid: 7, facts: {}, **recording)
    PLAYED[[from_s, pid, facts, recording]] ||=
      PlayedStore.new(PlayedRecording.new(minutes: MINUTES, swing: 0.0, **recording), from_s:, pid:, facts:)
  end

  def before(**options) = played(CHANGED_S - MINUTES * 60, **options)

  def after(**options) = played(CHANGED_S, pid: 70, processes: 2, **options)

  # Few requests are played fast.
  def changed(**after) = [before(rate: 0.5), self.after(rate: 0.5, **after)]

  # @yieldparam reader [Holdup::Advise::OutcomeReader]
  # @yieldparam store [Holdup::Store::Sql]
  def reading(*played, outcomes: [], now_s: CHANGED_S + 3 * HOUR_S)
    store = Holdup::Store.open("memory:")
    played.each { |one| one.fill(store) }
    outcomes.each { |outcome| store.keep(outcome) }
    yield Holdup::Advise::OutcomeReader.new(store, kind: :request, now_s:), store
  ensure
    store&.close
  end

  def pending(*, **) = reading(*, **) { |reader| reader.pending }

  def judged(*, **)
    reading(*, **) { |reader| size_coarsely { reader.judge(reader.pending.first) } }
  end

  # @return [Holdup::PredictionOutcome] of that change, as `--verify` would have kept it
  def kept(**facts)
    @setting ||= pending(*changed).first.recorded.first
    Learned.outcome(setting: @setting, from_s: CHANGED_S - 600, to_s: CHANGED_S, at_s: CHANGED_S + HOUR_S,
      **facts)
  end

  def test_a_change_whose_outcome_is_kept_is_not_pending
    assert_empty pending(*changed, outcomes: [kept])
    assert_equal 1, pending(*changed, outcomes: [kept(kind: :job)]).size
    assert_equal 1, pending(*changed, outcomes: [kept(setting: "another")]).size
    assert_equal 1, pending(*changed, outcomes: [kept(at_s: CHANGED_S)]).size
  end

  def test_a_change_is_judged_once
    reading(*changed) do |reader, store|
      judged = Holdup::Advise::JudgedChanges::JudgedChange.of(reader.pending.first, reason: :few_after)
      store.keep_answer(reader.judged_changes.adding(judged, at_s: CHANGED_S))
      again = Holdup::Advise::OutcomeReader.new(store, kind: :request, now_s: CHANGED_S + 4 * HOUR_S)
      assert_empty again.pending
    end
  end

  one_ruby def test_what_came_of_it
    outcome = judged(before, after)
    assert_equal [2, 5, CHANGED_S - 2 * HOUR_S, CHANGED_S, CHANGED_S + 2 * HOUR_S],
      outcome.to_h.values_at(:processes, :threads, :from_s, :to_s, :at_s)
    assert_operator outcome.units, :>, 10_000
    assert_operator outcome.error(:response).abs, :<, 0.1, "of the same simulation"
  end

  def test_another_revision_shows_nothing
    assert_equal :revision, judged(*changed(facts: {"revision" => "b"}))
    assert_equal :other_settings, judged(*changed(facts: {"ruby" => "3.4.5"}))
  end

  def test_too_little_after_it_shows_nothing
    assert_equal :few_after, judged(before, after(rate: 0.5))
  end

  def test_too_little_before_it_predicts_nothing
    assert_equal :few_before, judged(before(rate: 0.5), after)
  end

  # Else their recordings would be mixed.
  one_ruby def test_another_application_in_the_store_does_not_matter
    other = played(CHANGED_S - MINUTES * 60, pid: 500, facts: {"app" => "admin"}, rate: 5.0)
    assert_kind_of Holdup::PredictionOutcome, judged(before, after, other)
  end
end
