# frozen_string_literal: true

require "holdup/model/setting"
require_relative "sample_windows"

# Samples of processes with a JIT, by hand: one a minute and process, each figure a number or what gives it
# for the age in seconds.
module JitSamples
  MIB = 1 << 20
  START_S = SampleWindows::START_S
  # A warm worker of Puma with room to spare: 100 units a second, 10 MiB of code.
  HEALTHY = {server: "puma", rss_bytes: 250 * MIB, units: ->(age_s) { age_s * 100 }, jit_enabled: 1,
             jit_saturated: 0, jit_code_bytes: 10 * MIB, jit_alloc_bytes: 22 * MIB,
             jit_limit_bytes: 128 * MIB, jit_compiled_iseqs: 5000, jit_live_iseqs: 20_000,
             jit_enabled_ns: START_S * 1_000_000_000,
             jit_warm_ns: (START_S + 60) * 1_000_000_000, jit_failures: 0, jit_code_gcs: 0,
             jit_redefined: 10, jit_invalidations: 20,
             jit_interpreted_instructions: ->(age_s) {
               (age_s <= 60) ? age_s * 100_000 : 6_000_000 + age_s * 100
             },
             "jit.kind": "yjit", "jit.by": "holdup", "jit.at": "process", "jit.parent": "off",
             "jit.available": true, "jit.limit_of": "total", "jit.limit_from": "default",
             "jit.threshold": 30}.freeze
  OFF = {server: "puma", rss_bytes: 250 * MIB, units: ->(age_s) { age_s * 100 }, jit_enabled: 0,
         "jit.kind": "off", "jit.available": true, "jit.parent": "off"}.freeze
  SETTING = {"ruby" => "3.4.5", "server" => "puma", "workers" => 2, "preload" => true,
             "environment" => "production", "malloc" => "jemalloc"}.freeze

  # @param index [Integer] of the worker
  # @param minutes [Integer] that it is seen
  # @param ended [Boolean] whether it ends with the last
  # @param base [Hash] HEALTHY or OFF
  # @param setting [String] fingerprint
  # @return [Array<Hash>] samples of one process
  def life(index = 0, minutes: 10, ended: false, base: HEALTHY, born: 0, setting: jit_setting.fingerprint,
    name: "worker #{index}", host: "web-1", **figures)
    facts = {**base, **figures}.compact
    (0..minutes).map do |minute|
      age_s = minute * 60
      known = facts.transform_values { |value| value.respond_to?(:call) ? value.call(age_s) : value }
      at_s = START_S + born + age_s
      process = {pid: 100 + index, start: 1 + born, since_s: START_S + born}
      has_ended = (ended && minute == minutes) ? true : nil
      {at_s:, host:, **process, name:, setting:, **known, ended: has_ended}.compact
    end
  end

  # @param facts [Hash{String => Object}] that differ from SETTING
  # @return [Holdup::Setting]
  def jit_setting(**facts)
    Holdup::Setting.new(attributes: SETTING.merge(facts.transform_keys(&:to_s)).compact)
  end

  # @param settings [Array<Holdup::Setting>]
  # @return [Holdup::Analysis::JitReport]
  def jits(*samples, settings: [jit_setting], **)
    Holdup::Analysis::JitReport.new(samples.flatten,
      settings: settings.to_h { |setting| [setting.fingerprint, setting] }, **)
  end
end
