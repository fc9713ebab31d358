# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/learned"
require_relative "../../../support/situations"

module Holdup::Advise::Rules
  class AnswerJsonTest < Minitest::Test
    include Situations

    Sizing = Holdup::Advise::Sizing
    PLAIN = [NilClass, TrueClass, FalseClass, String, Symbol, Integer, Float].freeze

    # A recording, what may be better, and what else is asked: of each kind that has members of its own.
    CASES = {
      "a change of requests" => -> { [PlayedRecording.new(minutes: 6, swing: 0.0), {}] },
      "a promise with prices" => lambda do
        objective = Sizing::Objective.new(slo: Sizing::Slo.parse("p95=100ms"))
        [PlayedRecording.new(minutes: 6, swing: 0.0), {objective:, prices: true}]
      end,
      "another load of several processes" => lambda do
        [PlayedRecording.new(minutes: 6, processes: 2, rate: 40.0, slices: true), {factor: 1.5}]
      end,
      "threads for io" => lambda do
        shapes = {"Wait#show" => [0.5, 2, 200, 2], "Page#show" => [0.5, 20, 5, 4]}
        [PlayedRecording.new(shapes:, rate: 12.0, threads: 3, minutes: 6, io_threads: true), {}]
      end,
      "pools of a job runner" => lambda do
        [PlayedRecording.capsules, {objective: Sizing::Objective.new(name: :throughput)}]
      end,
      "requests and jobs in one process" => -> { [PlayedRecording.mixed(kind: :job, minutes: 3), {}] },
      "a load beyond what fits" => -> { [PlayedRecording.new(minutes: 6, rate: 300.0), {}] },
      "a self-test that fails" => -> { [PlayedRecording.new(minutes: 6, truth: 1.5), {}] },
      "too few requests" => -> { [PlayedRecording.new(minutes: 4, rate: 0.16, swing: 0.0), {}] },
      "two settings" => lambda do
        [PlayedRecording.new(minutes: 3).tap { |one| one.problems << :mixed_settings }, {}]
      end,
      "what earlier predictions taught" => lambda do
        [PlayedRecording.new(minutes: 6), {bias: Learned.learned(1.2, times: 4)}]
      end
    }.freeze

    def answer(made)
      recording, options = made.call
      prices = Sizing::CheapestFleet::FleetPrices.new(vcpu_hour: 0.04, gb_hour: 0.005) if options[:prices]
      limits = recording.limits(process_bytes: 300_000_000, memory_limit_bytes: 4_000_000_000, pool: 5)
      recommendation = recording.recommendation(limits:, units: 1500, **options.except(:prices))
      found = situation(samples: container(vcpus: 2.0), recommendation:)
      Holdup::Advise::AdviceAnswer.of(found, span: {kind: recording.kind, from_s: 0, to_s: 60}, prices:)
    end

    CASES.each do |name, made|
      one_ruby(define_method(:"test_reads_what_it_wrote_of_#{name.tr(" -", "__")}") do
        found = answer(made)
        text = Holdup::Advise::AnswerJson.dump(found)
        assert_equal found, Holdup::Advise::AnswerJson.load(text)
        assert_equal text, Holdup::Advise::AnswerJson.dump(Holdup::Advise::AnswerJson.load(text))
        assert_nothing_of_the_recording(found)
      end)
    end

    # Only values: no recommendation, recording or callable hides in it.
    def assert_nothing_of_the_recording(value)
      case value
      when Array then value.each { |one| assert_nothing_of_the_recording(one) }
      when Range then assert_nothing_of_the_recording(value.minmax)
      when Hash then value.each { |pair| assert_nothing_of_the_recording(pair) }
      when Data
        assert_includes Holdup::Advise::AnswerJson::VALUES.values, value.class
        assert_nothing_of_the_recording(value.to_h.values)
      else assert_includes PLAIN, value.class
      end
    end

    LOAD = Holdup::Advise::AdviceAnswer::MeasuredLoad.new(count: 1, measured_s: 1.5, throughput: 0.5,
      idle_share: nil)

    def small(findings: [])
      Holdup::Advise::AdviceAnswer.new(kind: :request, from_s: 0, to_s: 1, result: nil, findings:, load: LOAD,
        shortage: nil,
        deadlines: nil, fleet: nil)
    end

    def finding(**facts) = Finding.new(rule: :convoy, gain: 0.1, interval: 0.05..0.2, facts:)

    def test_keeps_every_kind_of_fact
      facts = {name: "A#é\u3042", none: nil, share: 0.1, count: 3, yes: true, list: [:a, "b"],
               often: {phrase: :times, count: 2}, endless: Float::INFINITY}
      found = small(findings: [finding(**facts)])
      assert_equal found, Holdup::Advise::AnswerJson.load(Holdup::Advise::AnswerJson.dump(found))
    end

    def test_refuses_a_value_that_is_no_answer
      error = assert_raises(ArgumentError) { Holdup::Advise::AnswerJson.dump(small(findings: [Object.new])) }
      assert_equal "Object can't be kept", error.message
    end

    def test_refuses_a_text_that_it_did_not_write
      sound = Holdup::Advise::AnswerJson.dump(small)
      texts = ["", "[", "null", "1", "[]", "{}", '{"version":3}', '{"version":3,"answer":1}',
        '{"version":3,"answer":{}}', '{"version":3,"answer":{"Kernel":{}}}',
        '{"version":3,"answer":{"Slo":{"percentile":0.5,"limit_ns":1}}}', sound.sub('"count"', '"counts"'),
        sound.sub('"version":3', '"version":2'), sound[0..-3]]
      texts.each { |text| assert_raises(Holdup::DamagedData, text) { Holdup::Advise::AnswerJson.load(text) } }
    end

    # Readers paste what a finding proposes into a shell; what a store has is not trusted.
    def test_refuses_queries_that_no_rule_writes
      sound = ["whatif --load x1.5 --slo p95", "report --full --name 'A b*'", "doctor --json",
        "whatif --priority 'It'\\''s=-2'", "report --since 25h"]
      sound.each do |query|
        dumped = Holdup::Advise::AnswerJson.dump(small(findings: [finding(query:)]))
        Holdup::Advise::AnswerJson.load(dumped)
      end
      ["exec -- sh", "doctor; rm x", "doctor `x`", "doctor\nrm x", "report $(x)", "report 'a' > x",
        "report 'a", "report && x", "rm -rf x"].each do |query|
        text = Holdup::Advise::AnswerJson.dump(small(findings: [finding(query:)]))
        assert_raises(Holdup::DamagedData, query) { Holdup::Advise::AnswerJson.load(text) }
      end
    end

    # Every query that a rule of the advice may write.
    def test_reads_the_queries_of_all_rules
      rules = Dir[File.expand_path("../../../../lib/holdup/features/{advise/rules,jit_report}/*.rb", __dir__)]
      sources = rules.map { |file| File.read(file) }
      queries = sources.join.scan(/query(?:: | = |:query\] = )"([^"]+)"/).flatten
      queries.select! { |query| query.count("{") == query.count("}") }
      assert_operator queries.size, :>, 20
      queries.each do |query|
        filled = query.gsub(/\#\{situation\.quoted[^}]*\}/, "'A b'").gsub(/\#\{[^}]*\}/, "3")
        dumped = Holdup::Advise::AnswerJson.dump(small(findings: [finding(query: filled)]))
        Holdup::Advise::AnswerJson.load(dumped)
      end
    end
  end
end
