# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/situations"

class Holdup::Advise::RulesTest < Minitest::Test
  include Situations

  def test_the_largest_gain_first
    all = Holdup::Advise::Rules.call(situation(samples: container(processes: 1)))
    refute_empty all
    assert_equal all.map(&:rank).sort, all.map(&:rank)
  end

  def test_nothing_was_measured
    assert_empty Holdup::Advise::Rules.call(situation(units: {}))
  end

  # Another number of processes or threads than the recommendation's is no advice.
  one_ruby def test_findings_say_what_the_verdict_says
    levers = [{"lever.processes.value": 1, "lever.processes.write": "workers N", "lever.threads.value": 5,
               "lever.threads.write": "threads N, N"}]
    [{}, {process_bytes: 300_000_000, memory_limit_bytes: 500_000_000},
      {others: Holdup::Advise::Sizing::ResourceLimits::OtherCpus.always(1.2)}].each do |limits|
      recommendation = advised(PlayedRecording.new(minutes: 4), **limits)
      found = Holdup::Advise::Rules.call(situation(samples: container(processes: 1, vcpus: 2.0),
        recommendation:,
        levers:) { |sample|
        [queueing(sample)]
      })
      numbers = found.filter_map { |finding| finding.line&.new&.[](/\Aworkers (\d+)/, 1)&.to_i }
      advised = (recommendation.verdict == :change) ? [recommendation.best.candidate.processes] : []
      assert_equal advised, numbers.uniq, limits.inspect
      next unless recommendation.verdict == :keep
      settings = found.select { |finding| finding.limits.empty? && finding.remedy == :setting }
      assert_empty settings.select { |finding| finding.gain.to_f > 0.1 }, limits.inspect
    end
  end

  def queueing(sample)
    sample.window("Slow#q", count: 300,
      histograms: {wall: Holdup::Histogram.of([40 * Situations::MS] * 300),
                   queued: Holdup::Histogram.of([90 * Situations::MS] * 300),
                   stalled: Holdup::Histogram.of([5 * Situations::MS] * 300)})
  end

  def test_every_rule_has_a_test
    Holdup::Features.rules.each do |rule|
      name = rule.name.split("::").last.gsub(/(?<=[a-z\d])([A-Z])/, '_\1').downcase
      assert_equal 1, Dir["#{__dir__}/../{advise/rules,jit_report}/**/#{name}_test.rb"].size, rule.name
    end
  end
end
