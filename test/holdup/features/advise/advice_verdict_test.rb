# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/advice_answers"
require "support/played_recording"

class Holdup::Advise::AdviceVerdictTest < Minitest::Test
  # What a recording says about concurrency and rests, besides what was played.
  class FixedRecording < PlayedRecording
    attr_writer :found, :growths

    def growths
      @growths || {}
    end

    def growth = @found&.first

    def growth_estimate = @found&.at(1)

    attr_accessor :idle_growth

    def rest = @found&.last
  end

  RECORDING = FixedRecording.new(minutes: 8)
  ADVISED = RECORDING.recommendation

  def estimate(value, low, high, gc: nil)
    Holdup::Advise::Sizing::CoherencyEstimator::IntervalEstimate.unknown(600).with(value:, low:, high:, gc:)
  end

  def verdict_text(language = "en", growth: nil, estimate: growth, rest: nil)
    RECORDING.found = [growth, estimate, rest]
    words = Holdup::View::Words.new(language)
    Holdup::Advise::AdviceVerdict.new(ADVISED.call, span: "now", words:).details.join("\n")
  end

  one_ruby def test_says_that_waits_grow_with_concurrency
    RECORDING.idle_growth = estimate(0.2, 0.11, 0.29)
    assert_match(/^Twice as .* lengthen the I\/O and other waits of each by 20\.0 % \(11\.0 %/, verdict_text)
    RECORDING.idle_growth = estimate(0.2, -0.01, 0.29)
    refute_match(/lengthen/, verdict_text)
  ensure
    RECORDING.idle_growth = nil
  end

  # All that was measured in the busiest minutes took three times as long as their replay.
  CONTRADICTED = PlayedRecording.new(minutes: 8).tap do |recording|
    replayed_ns = ADVISED.current.responses.fetch(0.95)
    slow = recording.unit_samples.map { |unit| unit.with(running_ns: 0, idle_ns: 3 * replayed_ns) }
    recording.define_singleton_method(:busiest) { |*| slow }
  end.recommendation

  def test_a_contradicted_peak_is_grade_c
    assert_equal :a, ADVISED.self_test.grade
    assert_equal :c, CONTRADICTED.self_test.grade
    assert_equal :unknown, CONTRADICTED.verdict
    assert_equal %i[self_test peak_contradicted], CONTRADICTED.reasons.first(2)
    refute_includes CONTRADICTED.reasons, :unknown
    assert_in_delta(-0.667, CONTRADICTED.self_test.errors.fetch(:peak), 0.01)
  end

  def test_a_contradicted_peak_is_said_with_both_times
    english, japanese = %w[en ja].map do |language|
      words = Holdup::View::Words.new(language)
      Holdup::Advise::AdviceVerdict.new(CONTRADICTED.call, span: "now", words:).sentence
    end
    expected = /\ACan't size yet: a replay of the busiest minutes does not match .+ \(p95 of the response: /
    assert_match expected, english
    assert_match(/応答時間の p95：リプレイ .+、実測 .+）/, japanese)
    details = Holdup::Advise::AdviceVerdict.new(CONTRADICTED.call, span: "now",
      words: Holdup::View::Words.new).details
    assert_match(/^Why: in a replay of the busiest minutes, p95 of the response is .+, but /, details.first)
  end

  def test_a_contradicted_peak_is_a_row_of_the_self_test
    words = Holdup::View::Words.new("en")
    section = Holdup::Advise::AdviceTable::SelfTest.new(CONTRADICTED.call, words:).section
    assert_match(/grade C/, section.title)
    name, measured, replayed, error = section.rows.last
    assert_equal "response in the busiest minutes", name
    refute_equal measured, replayed
    assert_equal "-66.7 %", error
  end

  def test_a_contradicted_peak_for_programs
    json = AdviceAnswers.json(CONTRADICTED)
    assert_equal [:unknown, :c], [json.fetch(:verdict), json.dig(:self_test, :grade)]
    assert_includes json.dig(:self_test, :reasons), :peak_contradicted
    assert_in_delta(-0.667, json.dig(:self_test, :errors, :peak), 0.01)
  end

  # Two in a row: one miss in ten is chance.
  def test_a_model_that_was_wrong_twice_says_so_first
    said = [1, 2].product(%w[en ja]).to_h do |misses, language|
      words = Holdup::View::Words.new(language)
      [[misses, language], Holdup::Advise::AdviceVerdict.new(ADVISED.call.with(misses:), span: "now", words:)]
    end
    usual = said.fetch([1, "en"]).sentence
    assert_equal "Trust this less: the last 2 predictions here were wrong (the p95 response was outside " \
      "their 90 % interval). #{usual}", said.fetch([2, "en"]).sentence
    assert_match(/\A割り引いて読んでください：この環境での直近 2 件/, said.fetch([2, "ja"]).sentence)
    assert_equal 2, AdviceAnswers.json(ADVISED.call.with(misses: 2)).fetch(:misses)
  end

  def test_says_that_a_boot_decides
    boots = widened(found: 0.12)
    english, japanese = %w[en ja].map do |language|
      words = Holdup::View::Words.new(language)
      Holdup::Advise::AdviceVerdict.new(ADVISED.call.with(boots:), span: "now", words:)
    end
    said = "A boot is a draw: the 4 processes of this setting differ by 12.0 % in the time that the same " \
      "requests or jobs hold the GVL, and that decides here: were they alike, the gain would be 2.0 % to " \
      "30.0 %."
    assert_equal "Run it on more processes.", english.details[english.details.index(said) + 1]
    assert_match(/この設定の 4 プロセス.*より多くのプロセスで/, japanese.reliability.join)
    json = AdviceAnswers.json(ADVISED.call.with(boots:)).fetch(:boots)
    assert_equal [0.12, false, 4, true, [0.02, 0.3]],
      json.values_at(:deviation, :assumed, :processes, :decides, :gain_interval_alone)
  end

  def widened(found:)
    spread = Holdup::Analysis::BootSpread::SpreadEstimate.new(deviation: 0.12, freedom: 7, processes: 4,
      found:)
    Holdup::Advise::Sizing::WidenedGain.new(spread:, alone: 0.02..0.3, interval: -0.1..0.4)
  end

  def test_says_what_is_assumed_of_boots_that_a_recording_does_not_show
    english, japanese = %w[en ja].map do |language|
      words = Holdup::View::Words.new(language)
      Holdup::Advise::AdviceVerdict.new(ADVISED.call.with(boots: widened(found: nil)), span: "now", words:)
    end
    said = "A boot is a draw: two servers of one setting differ. This recording does not show by how much, " \
      "so the range of the gain assumes 12.0 %; were they alike, it would be 2.0 % to 30.0 %."
    assert_includes english.details, said
    assert_match(/12.0 % の差を仮定.*より多くのプロセスで/, japanese.reliability.join)
  end

  def test_a_boot_that_decides_nothing_is_not_said
    alike = widened(found: 0.02).with(interval: 0.01..0.31)
    said = Holdup::Advise::AdviceVerdict.new(ADVISED.call.with(boots: alike), span: "now",
      words: Holdup::View::Words.new("en"))
    refute_match(/A boot is a draw/, said.details.join)
    assert_equal false, AdviceAnswers.json(ADVISED.call.with(boots: alike)).dig(:boots, :decides)
  end

  def test_a_large_gain_that_is_not_certain_is_not_called_small
    words = Holdup::View::Words.new("en")
    uncertain = ADVISED.call.with(verdict: :keep, why: :too_little_gain, gain: 0.2, interval: -0.01..0.35)
    text = Holdup::Advise::AdviceVerdict.new(uncertain, span: "now", words:).sentence
    assert_match(/for now: .* may gain 20\.0 %, but the interval \(-1\.0 % to 35\.0 %/, text)
    refute_match(/too little/, text)
  end

  def test_what_concurrency_costs
    growth = estimate(0.123, 0.08, 0.17, gc: 0.05)
    beginning = /^Twice as many requests or jobs in flight add 12\.3 % CPU to each of them \(8\.0 % to 17\.0 /
    ending = /% with 90 % confidence; 5\.0 % is garbage collection\)\.$/
    assert_match(/#{beginning}#{ending}/, verdict_text(growth:))
    assert_match(/12\.3 %.*8\.0 %.*17\.0 %.*5\.0 %/, verdict_text("ja", growth:))
    refute_match(/cost of concurrency|caches are cold/, verdict_text(growth:))
  end

  def test_from_what_concurrency_is_estimated
    between = estimate(0.12, 0.08, 0.17).with(between_levels: 0.9)
    assert_match(/^That compares moments with different numbers in flight/, verdict_text(growth: between))
    within = verdict_text(growth: between.with(between_levels: 0.1))
    assert_match(/^That compares requests or jobs of the same name within ten minutes or less/, within)
    refute_match(/That compares moments/, within)
  end

  def test_which_units_concurrency_costs_most
    RECORDING.growths = {"A#a" => estimate(0.1, 0.05, 0.2), "B#b" => estimate(0.3, 0.2, 0.4),
                         "C#c" => estimate(0.9, -0.2, 1.0)}.transform_keys { |name|
      Holdup::Series.new(kind: :request, name:)
    }
    growth = estimate(0.12, 0.08, 0.17)
    assert_match(/^B#b grows most: 30\.0 % \(20\.0 % to 40\.0 %\)\.$/, verdict_text(growth:))
    assert_match(/B#b.*30\.0 %/, verdict_text("ja", growth:))
    refute_match(/grows most/, verdict_text)
    json = AdviceAnswers.json(ADVISED)[:growths]
    assert_equal [["A#a", 0.1], ["B#b", 0.3], ["C#c", 0.9]], json.map { |one| one.values_at(:name, :value) }
  ensure
    RECORDING.growths = nil
  end

  def test_concurrency_did_not_vary_enough
    unknown = estimate(nil, -0.2, 1.0)
    beginning = /^The cost of concurrency is unknown: .* \(-20\.0 % to 100 % CPU for twice as many\)\. /
    ending = /Predictions take it as constant\.$/
    assert_match(/#{beginning}#{ending}/, verdict_text(estimate: unknown))
    assert_match(/-20\.0 %.*100 %/, verdict_text("ja", estimate: unknown))
  end

  def test_what_a_rest_costs
    rest = estimate(0.2, 0.1, 0.3)
    beginning = /was idle takes up to 20\.0 % more CPU \(10\.0 % to 30\.0 %\), /
    ending = /perhaps because caches are cold then/
    assert_match(/#{beginning}#{ending}/, verdict_text(rest:))
    assert_match(/20\.0 %.*10\.0 %.*30\.0 %/, verdict_text("ja", rest:))
  end

  def test_nothing_of_a_cost_that_is_known_to_be_none
    refute_match(/cost of concurrency|in flight add|caches are cold/,
      verdict_text(estimate: estimate(0.01, -0.02, 0.03)))
  end

  def test_what_may_be_the_reason_where_nothing_can_be_said
    warnings = {cpu_saturated: {cpu_share: 0.91}, held_without_cpu: {starved_share: 0.2}}
    refused = PlayedRecording.new(minutes: 3).tap { |recording| recording.problems << :mixed_settings }
    result = refused.recommendation.call
    unsaid = result.with(recording: result.recording.with(warnings:))
    expected = "Warning: In a busy minute 91.0 % of the vCPUs were in use. " \
      "For 20.0 % of the time that a thread held the GVL, it had no CPU: " \
      "CPUs were short, a quota stopped the process, pages were read from a disk, " \
      "or C code waited with the GVL held."
    verdict = Holdup::Advise::AdviceVerdict.new(unsaid, span: "now", words: Holdup::View::Words.new)
    causes = "Why: the span has several settings; choose a span with one of them."
    assert_equal [causes, expected], verdict.details
    assert_empty verdict.reliability, "a refusal is one sentence with one action"
  end

  # 20 % between slow and fast minutes of the machine: no grade A, whatever the replay gives.
  def test_advice_of_grade_b_says_why
    varied = PlayedRecording.new(minutes: 8)
    varied.machine_speed = Holdup::Analysis::Machine::MachineSpeed.new({"a" => [100, 100, 100, 120, 120]})
    advised = varied.recommendation
    verdict = Holdup::Advise::AdviceVerdict.new(advised.call, span: "now", words: Holdup::View::Words.new)
    assert_equal :b, advised.self_test.grade
    expected =
      /^Why the grade is not A: .*The machine computes faster and slower by turns: .* takes 20\.0 % longer/
    assert_match expected, verdict.details.join("\n")
    assert_match expected, verdict.reliability.join("\n")
    exactness = exactness(advised.call)
    assert_match(/\ASelf-test grade B \(response /, exactness.first)
    assert_match expected, exactness.join("\n")
    json = AdviceAnswers.json(advised)
    assert_includes json.dig(:self_test, :reasons), :machine_speed
  end

  # @return [Array<String>]
  def exactness(result)
    words = Holdup::View::Words.new
    reasons = Holdup::Advise::AdviceVerdict::Reasons.new(result, words:, kind: :request)
    Holdup::Advise::AdviceVerdict::Exactness.new(self_test: result.self_test, peak: result.peak, warnings: {},
      words:, reasons:).call
  end

  def test_the_same_for_programs
    verdict_text(growth: estimate(0.12345, 0.08, 0.17, gc: 0.05))
    json = AdviceAnswers.json(ADVISED)
    assert_equal [{value: 0.1235, low: 0.08, high: 0.17, gc: 0.05, enough: true, units: 600}, nil],
      json.values_at(:growth, :rest)
  end
end
