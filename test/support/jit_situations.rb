# frozen_string_literal: true

require "holdup/loader"
require_relative "jit_samples"

# Situations for the rules about the JIT, by hand.
module JitSituations
  include JitSamples

  HALF = {cpu: 5, io: 5}.freeze

  # Renders the finding in every language as well: a missing fact raises.
  # @param rule [Module]
  # @param lives [Array<Array<Hash>>] samples
  # @param settings [Array<Holdup::Setting>] that units ran under; the first is the lives' unless they say
  # @param ms [Hash] of a unit in each state
  # @return [Holdup::Advise::Rules::Finding, nil]
  def advise(rule, *lives, settings: [jit_setting], ms: HALF)
    rule.call(Holdup::Advise::Rules::Situation.new(summary: summary(lives.flatten, settings,
      ms)))&.tap do |found|
      %w[en ja].each do |language|
        words = Holdup::View::Words.new(language)
        refute_empty Holdup::Advise::AdviceFindings.new([found], words:).first.what
      end
    end
  end

  # A container in which so much of the memory is in use.
  def container(used:, host: "web-1", limit_bytes: 2048 * JitSamples::MIB)
    [0, 60].map do |passed|
      {at_s: JitSamples::START_S + passed,
       host:,
       pid: 0,
       name: "container",
       vcpus: 2.0,
       memory_bytes: (limit_bytes * used).round,
       memory_limit_bytes: limit_bytes}
    end
  end

  private

  def summary(samples, settings, ms)
    windows = settings.flat_map { |setting|
      SampleWindows.new(units: {"A#a" => {ms:, acquisitions: 6, units: 50, blame: 1}}, accounts: {},
        setting: setting.attributes).to_a
    }
    Holdup::Analysis::Summary.new(windows, from_s: JitSamples::START_S,
      to_s: [*samples.map { |sample| sample[:at_s] }, JitSamples::START_S].max + 1, samples:)
  end
end
