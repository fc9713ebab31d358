# frozen_string_literal: true

require "json"

module Holdup
  module Doctor
    # The doctor's findings as a page: each with its state, and the remedy of each problem.
    class Report
      LEVELS = %i[ok warn fail].freeze

      def initialize(findings, words: View::Words.new)
        @findings = findings
        @words = words
      end

      # How many checks can be left out to fit a screen: all but the worst.
      def spare = [@findings.size - 1, 0].max

      # @param kept [Integer, nil] how many besides the worst are shown, the worst first, under the summary;
      #   nil: all in their own order, with the summary at the end, where a terminal shows it
      # @return [View::Page]
      def page(kept = nil)
        return View::Page.new(title:, blocks: [checks(title: ""), lead]) unless kept
        shown, hidden = by_level.partition.with_index { |_, index| index <= kept }
        View::Page.new(title:,
          blocks: [lead, checks(title: "", shown:), View::Blocks::Notes.new(texts: more(hidden))])
      end

      def title = @words.call(:doctor_title)

      # @return [View::Blocks::Lead] the summary
      def lead
        return View::Blocks::Lead.new(text: @words.call(:doctor_sound), level: :good) if @findings.all?(&:ok?)
        counts = LEVELS.to_h { |level| [level, @findings.count { |finding| finding.level == level }] }
        View::Blocks::Lead.new(text: @words.call(:doctor_summary, **counts), level: :warn)
      end

      # @return [View::Blocks::Checks]
      def checks(title: self.title, shown: @findings)
        items = shown.map { |finding| check(finding) }
        View::Blocks::Checks.new(title:, items:, words: LEVELS.map { |level| level_name(level) })
      end

      private

      def by_level
        @findings.sort_by.with_index { |finding, index| [-LEVELS.index(finding.level), index] }
      end

      # @return [Array<String>] what is not shown
      def more(hidden)
        sound, troubles = hidden.partition(&:ok?)
        {screen_doctor_more_wrong: troubles, screen_doctor_more: sound}.filter_map do |key, some|
          @words.call(key, count: some.size) if some.any?
        end
      end

      def check(finding)
        remedy = finding.ok? ? nil : text(:"#{finding.key}_fix", finding.facts)
        View::Blocks::Check.new(level: finding.level, word: level_name(finding.level),
          text: text(finding.key, finding.facts), remedy:)
      end

      def level_name(level) = @words.call(:"level_#{level}")

      def text(key, facts)
        View::CheckSentence.call(@words, key, facts)
      end

      # The doctor's findings for programs, with the self-reports of each process. docs/schema/doctor.json
      # describes the keys; they are stable, new ones may be added.
      class Json
        include View::Json::Values

        SCHEMA = 1
        TIMES = %i[since_ns warm_ns].freeze
        KILLER = "killer."

        def initialize(findings, processes:, words: View::Words.new)
          @findings = findings
          @processes = processes
          @words = words
        end

        # @return [String] ends with a newline
        def call
          "#{JSON.pretty_generate(to_h)}\n"
        end

        def to_h
          {schema: SCHEMA, failed: @findings.count(&:fail?),
           findings: @findings.map { |finding| finding(finding) },
           processes: @processes.map { |process| process(process) }}
        end

        private

        def finding(finding)
          {level: finding.level, key: finding.key, text: text(finding.key, finding.facts),
           fix: (text(:"#{finding.key}_fix", finding.facts) unless finding.ok?),
           facts: finding.facts.transform_values { |fact|
             fact.is_a?(String) ? View::Width.clean(fact) : fact
           }}
        end

        def text(key, facts)
          View::CheckSentence.call(@words, key, facts)
        end

        def process(process)
          {pid: process.pid, worker: process.worker, server: process.profile["server"], alive: process.alive,
           heartbeat: time_of_ns(process.heartbeat_ns), requests: process.requests, jit: jit(process.jit),
           killer: killer(process.profile)}
        end

        # @return [Hash, nil] what kills the process at a memory limit
        def killer(profile)
          known = profile.select { |key, _| key.start_with?(KILLER) }.transform_keys { |key|
            key.delete_prefix(KILLER).to_sym
          }
          known unless known.empty?
        end

        # @return [Hash, nil] known facts; times as text
        def jit(jit)
          return unless jit.kind
          known = jit.to_h.except(*TIMES, :kind)
          {on: jit.on?, kind: (jit.kind if jit.on?), since: time_of_ns(jit.since_ns),
           warm_since: time_of_ns(jit.warm_ns),
           memory_bytes: jit.memory_bytes, **known}
        end
      end
    end
  end
end
