# frozen_string_literal: true

require "holdup/loader"
require_relative "played_recording"

# Situations for the rules of the advice, by hand.
module Situations
  MS = 1_000_000

  # @param units [Hash] shapes as SampleWindows takes them
  # @yieldparam sample [SampleWindows]
  # @yieldreturn [Array<Holdup::Window>] more windows
  def situation(units: SampleWindows::STOREFRONT, samples: [], recommendation: nil, levers: [], pool: nil,
    written: [], **options)
    sample = SampleWindows.new(units:, accounts: {}, **options)
    windows = sample.to_a + (block_given? ? yield(sample) : [])
    summary = Holdup::Analysis::Summary.new(windows, from_s: sample.from_s, to_s: sample.to_s, samples:)
    Holdup::Advise::Rules::Situation.new(summary:, recommendation:,
      levers: Holdup::Advise::Rules::ServerLevers.new(levers), pool:, files: ->(_path) { written })
  end

  # @return [Hash] one name whose units take so many ms in each state
  def unit(name = "A#a", acquisitions: 6, units: 100, blame: 1, **ms)
    {name => {ms:, acquisitions:, units:, blame:}}
  end

  # @return [Array<Hash>] samples of a container and its processes
  def container(processes: 1, vcpus: 4.0, run_delay_share: nil, **facts)
    from_s = SampleWindows::START_S
    [0, 60, 120].flat_map do |passed|
      workers = Array.new(processes) do |index|
        {at_s: from_s + passed, host: "web-1", pid: 10 + index, start: 1, since_s: from_s,
         name: "worker #{index}", server: "puma", cpu_ns: passed * 500 * MS,
         run_delay_ns: run_delay_share && (passed * 500 * MS * run_delay_share).round,
         "pool.0": "web", "pool.0.max": 5}.compact
      end
      counted = facts.transform_values { |value| value.respond_to?(:call) ? value.call(passed) : value }
      [*workers,
        {at_s: from_s + passed, host: "web-1", pid: 0, name: "container", vcpus:, cpu_ns: passed * 500 * MS,
         **counted}]
    end
  end

  # @return [Finding, nil]
  def find(rule, ...) = rule.call(situation(...))

  # A finding as users read it, in both languages: every part of it has to be there.
  # @return [Hash{String => String}] what, seen, do (with its diff), expect, risk, verify, undo
  def text_of(finding, language = "en")
    all = %w[en ja].to_h do |each|
      [each, Holdup::Advise::AdviceFindings.new([finding], words: Holdup::View::Words.new(each)).first]
    end
    all.each_value { |one|
      assert_equal [6, []], [one.parts.size, one.parts.select { |part| part.text.empty? }]
    }
    one = all.fetch(language)
    {"what" => one.what, **one.parts.to_h { |part| [part.label, [part.text, *part.diff].join("\n")] }}
  end

  # A recommendation from a simulated recording.
  # @param recording [PlayedRecording]
  # @return [Analysis::Sizing::Recommendation]
  def advised(recording, objective: :latency, **limits)
    objective = Holdup::Advise::Sizing::Objective.new(name: objective)
    recording.recommendation(limits: recording.limits(**limits), objective:)
  end
end
