# frozen_string_literal: true

require "json"

module Holdup
  module View
    # The doctor's findings for programs, with what each process tells of itself. The keys are documented in
    # docs/doctor.md and stay; new ones may come.
    class FindingsJson
      include JsonValues

      SCHEMA = 1
      TIMES = %i[since_ns warm_ns].freeze
      KILLER = "killer."

      # @param findings [Array<Doctor::CheckResult>]
      # @param processes [Array<Doctor::Host::HostProcess>]
      # @param words [Words]
      def initialize(findings, processes:, words: Words.new)
        @findings = findings
        @processes = processes
        @words = words
      end

      # @return [String] ends with a newline
      def call
        "#{JSON.pretty_generate(to_h)}\n"
      end

      # @return [Hash]
      def to_h
        {schema: SCHEMA, failed: @findings.count(&:fail?), findings: @findings.map { |finding| finding(finding) },
         processes: @processes.map { |process| process(process) }}
      end

      private

      def finding(finding)
        {level: finding.level, key: finding.key, text: text(finding.key, finding.facts),
         fix: (unless finding.ok?
                 text(:"#{finding.key}_fix", finding.facts)
               end), facts: finding.facts.transform_values { |fact| fact.is_a?(String) ? Width.clean(fact) : fact }}
      end

      def text(key, facts)
        DoctorSentence.call(@words, key, facts)
      end

      def process(process)
        {pid: process.pid, worker: process.worker, server: process.profile["server"], alive: process.alive,
         heartbeat: time_of_ns(process.heartbeat_ns), requests: process.requests, jit: jit(process.jit), killer: killer(process.profile)}
      end

      # @return [Hash, nil] what ends it for its memory
      def killer(profile)
        known = profile.select { |key, _| key.start_with?(KILLER) }.transform_keys { |key|
          key.delete_prefix(KILLER).to_sym
        }
        known unless known.empty?
      end

      # @return [Hash, nil] what is known; times as text
      def jit(jit)
        return unless jit.kind
        known = jit.to_h.except(*TIMES, :kind)
        {on: jit.on?, kind: (if jit.on?
                               jit.kind
                             end), since: time_of_ns(jit.since_ns), warm_since: time_of_ns(jit.warm_ns), memory_bytes: jit.memory_bytes, **known}
      end
    end
  end
end
