# frozen_string_literal: true

require "test_helper"
require_relative "../../support/advice_answers"
require_relative "../../support/situations"

class Holdup::Analysis::CpuShortageTest < Minitest::Test
  include Situations

  STARVED = {"A#a" => {ms: {cpu: 10, starved: 30, stalled: 60}, acquisitions: 6, units: 100, blame: 1}}.freeze

  OUT_OF_CPU = {
    "en" => /\AThis host is out of CPU: for 7\d\.\d %.* Other processes use 1\.5 of 2 vCPUs\./,
    "ja" => /\Aこのホストは CPU が足りません。.*7\d\.\d %.*2 vCPU のうち 1\.5 を/
  }.freeze

  # A container whose threads wait for a CPU four times as long as they have one.
  def samples(delay: 4, processes: 2, vcpus: 2.0, **rates)
    counters = rates.transform_values { |ms| ->(passed) { passed * ms * MS } }
    container(processes:, vcpus:, run_delay_share: delay, host_cpus: 4, **counters)
  end

  def summary(units: STARVED, **)
    situation(units:, samples: samples(**)).summary
  end

  def shortage(**) = Holdup::Analysis::CpuShortage.of(summary(**))

  def first_sentence(summary, language = "en")
    Holdup::View::Headline.new(summary, words: Holdup::View::Words.new(language)).verdict
  end

  def test_a_host_without_free_cpus
    found = shortage(cpu_ns: 1_000)
    assert_in_delta 0.75, found.held_share, 0.01
    assert_in_delta 0.8, found.waiting_share, 0.01
  end

  def test_a_calm_host_has_none
    assert_nil shortage(units: unit(cpu: 10, starved: 1), cpu_ns: 1_000)
  end

  def test_code_in_c_that_blocks_with_the_gvl_is_no_missing_cpu
    assert_nil shortage(delay: 0.05)
  end

  def test_nothing_is_said_where_the_system_does_not_count_waits
    assert_nil shortage(delay: nil)
  end

  def test_who_has_the_cpus
    {own: {vcpus: 1.0, cpu_ns: 1_000}, other_processes: {vcpus: 2.0, cpu_ns: 1_950},
     host: {processes: 1, vcpus: 4.0, host_busy_ns: 3_900}, quota: {periods: 10, throttled_periods: 5},
     steal: {processes: 1, vcpus: 4.0, steal_ns: 300, host_busy_ns: 900}}.each do |culprit, facts|
      facts = {processes: 1, **facts} if culprit == :other_processes
      assert_equal culprit, shortage(**facts).culprit
    end
    assert_equal :unknown, shortage(vcpus: 4.0).culprit
  end

  def test_it_is_the_first_sentence_of_a_report_and_of_advice
    %w[en ja].each do |language|
      short = summary(processes: 1, vcpus: 2.0, cpu_ns: 1_950)
      sentence = first_sentence(short, language)
      assert_match(OUT_OF_CPU.fetch(language), sentence)
      answer = AdviceAnswers.of(nil, summary: short)
      advice = Holdup::Advise::Report.new(answer, words: Holdup::View::Words.new(language), span: "24 h",
        limit: 5)
      assert advice.answer.first.text.start_with?(sentence), advice.answer.first.text
    end
  end

  def test_a_page_of_processes_praises_no_host_without_cpus
    short = summary(processes: 2, vcpus: 2.0, cpu_ns: 1_000)
    leads = processes_page(short).select { |block| block.is_a?(Holdup::View::Blocks::Lead) }
    assert_equal [:warn], leads.map(&:level)
    assert_match(/\AThis host is out of CPU/, leads.first.text)
    calm = processes_page(summary(units: unit(cpu: 10), delay: 0.05, cpu_ns: 1_000))
    assert_equal [:good], calm.grep(Holdup::View::Blocks::Lead).map(&:level)
  end

  def processes_page(summary)
    page = Holdup::Report::ProcessesPage.allocate
    page.instance_variable_set(:@words, Holdup::View::Words.new("en", page: true))
    page.define_singleton_method(:summary) { summary }
    page.send(:shortages) + page.send(:ceilings)
  end

  def test_doctor_warns
    machines = summary(cpu_ns: 1_000).processes.machines
    found = Holdup::Doctor::ScalingChecks::FreeCpus.call(Struct.new(:machines).new(machines))
    assert_equal [[:warn, 80]], found.map { |result| [result.level, result.facts[:percent]] }
    calm = summary(delay: 0.05).processes.machines
    assert_empty Holdup::Doctor::ScalingChecks::FreeCpus.call(Struct.new(:machines).new(calm))
  end
end
