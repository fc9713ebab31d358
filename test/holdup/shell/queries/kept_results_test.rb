# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "zlib"

class Holdup::Queries::KeptResultsTest < Minitest::Test
  Question = Holdup::Queries::Question
  KeptResults = Holdup::Queries::KeptResults
  Sizing = Holdup::Advise::Sizing
  NOW_S = 1_790_000_000

  # Results that are a word.
  module WordJson
    VERSION = 1

    module_function

    def dump(word) = JSON.generate([word])

    def load(text)
      word, = JSON.parse(text)
      (word == "damaged") ? raise(Holdup::DamagedData, "a damaged word") : word
    end
  end

  # The same in another form.
  module LaterJson
    extend WordJson

    VERSION = 2

    module_function

    def dump(word) = WordJson.dump(word)

    def load(text) = WordJson.load(text)
  end

  def setup
    @store = Holdup::Store.open("memory:")
    @results = KeptResults::InStore.new(@store, json: WordJson)
  end

  def question(kind: :request, seconds: 86_400, objective: Sizing::Objective.new, **others)
    Holdup::Advise::AdviceQuestion.of(kind:, span: NOW_S - seconds..NOW_S, objective:, **others)
  end

  def keep(value = "change", asked: question, at_s: NOW_S, took_s: 8)
    @results.keep(asked, value, at_s:, took_s:)
  end

  def test_gives_back_what_was_kept
    keep
    assert_equal KeptResults::KeptResult.new(at_s: NOW_S, took_s: 8, value: "change"),
      @results.find(question, NOW_S)
    assert_nil @results.find(question(kind: :job), NOW_S)
  end

  def test_a_stored_text_is_ascii
    keep("é")
    assert_predicate @store.answer(question.key(WordJson::VERSION)).text, :ascii_only?
    assert_equal "é", @results.find(question, NOW_S).value
  end

  # @return [Boolean] whether a result of that age is shown
  def shown?(age_s, seconds: 86_400)
    asked = question(seconds:)
    keep(asked:, at_s: NOW_S - age_s)
    !@results.find(asked, NOW_S).nil?
  end

  def test_a_result_is_shown_for_an_hour_of_a_day
    assert_equal [true, true, true, false], [-60, 0, 3456, 3457].map { |age_s| shown?(age_s) }
    refute shown?(-61), "of a clock that is wrong"
    month_s = 30 * 86_400
    assert_equal [true, false], [103_680, 103_681].map { |age_s| shown?(age_s, seconds: month_s) }
    assert_operator month_s / KeptResults::AgeLimits::MOST_AGE, :<, Holdup::Store::KeptAnswer::KEEP_S
  end

  def test_it_is_due_again_in_half_of_that_time
    assert_equal 0, @results.due_s(question)
    keep(nil)
    assert_equal NOW_S + 1728, @results.due_s(question)
    assert_nil @results.find(question, NOW_S), "nothing was recorded"
  end

  def test_ignores_results_of_another_version
    keep
    later = KeptResults::InStore.new(@store, json: LaterJson)
    assert_nil later.find(question, NOW_S)
    assert_equal 0, later.due_s(question), "it is computed anew"
  end

  def test_ignores_a_text_that_is_damaged
    sound = {took_s: 8, value: '["change"]'}.to_json
    texts = ["not base64", [Zlib.gzip(sound)[0..-9]].pack("m0")]
    texts += ["", "[", "null", "1", "{}", '{"took_s":"x","value":"[1]"}', '{"took_s":1,"value":1}',
      {took_s: 1, value: '["damaged"]'}.to_json].map { |json| [Zlib.gzip(json)].pack("m0") }
    texts.each do |text|
      @store.keep_answer(Holdup::Store::KeptAnswer.new(question: question.key(1), at_s: NOW_S, text:))
      assert_nil @results.find(question, NOW_S), text
    end
  end
end

class Holdup::Queries::KeptResultsInMemoryTest < Minitest::Test
  KeptResults = Holdup::Queries::KeptResults
  AgeLimits = KeptResults::AgeLimits
  S = 1_000_000_000

  def setup
    @clock = HandClock.new
    @results = KeptResults::InMemory.new(clock: @clock)
  end

  def question(name = "q") = Holdup::Queries::Question.new(command: "advice", arguments: {"name" => name})

  def keep(name = "q", version: 1, **result)
    @results.keep(question(name), version, took_s: 2.5, **result)
  end

  def advance(seconds) = @clock.monotonic_ns += seconds * S

  def test_gives_back_what_was_computed_from_the_same_data
    keep(value: "change")
    found = @results.find(question, 1)
    assert_equal "change", found.value
    assert_in_delta 2.5, found.took_s
    assert_nil @results.find(question("other"), 1)
  end

  def test_other_data_counts_only_for_those_who_waited
    keep(value: "change")
    assert @results.find(question, 2)
    advance(AgeLimits::GRACE_S + 1)
    assert_nil @results.find(question, 2)
    assert @results.find(question, 1)
    assert @results.find(question), "of any version"
  end

  def test_raises_what_the_computation_raised_until_it_is_retried
    keep(error: IOError.new("broken"))
    assert_raises(IOError) { @results.find(question, 1) }
    assert @results.known?(question, 1)
    advance(AgeLimits::FAILED_S + 1)
    assert_nil @results.find(question, 1)
    refute @results.known?(question, 1)
  end

  def test_forgets_what_is_old_and_what_nobody_asked_for_longest
    keep("asked", value: 1)
    (KeptResults::InMemory::SIZE - 1).times { |number| keep("q#{number}", value: number) }
    @results.find(question("asked"), 1)
    keep("new", value: 2)
    assert @results.find(question("asked"), 1)
    assert_nil @results.find(question("q0"), 1)
    advance(AgeLimits::MEMORY_S + 1)
    assert_nil @results.find(question("asked"), 1)
  end
end
