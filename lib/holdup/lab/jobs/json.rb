# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class Jobs
      # The result for programs. The keys are documented in docs/lab-jobs.md and stay; new ones may come.
      class Json
        SCHEMA = 1
        WAYS = %i[replay closed amdahl].freeze
        MEANS = %i[wall running stalled idle cpu_ns lock_ns acquisitions].freeze

        # @param result [JobsResult]
        # @param words [View::Words] for the sentences
        def initialize(result, words: View::Words.new)
          @result = result
          @sentences = Sentences.new(result, words:)
        end

        # @return [String] ends with a newline
        def call
          "#{JSON.pretty_generate(to_h)}\n"
        end

        # @return [Hash]
        def to_h
          {schema: SCHEMA, lab: "jobs", setting: @result.setting, baseline: @result.baseline, rounds: @result.round_count, jobs: @result.count, errors: @result.errors,
           stopped: !@result.signal.nil?, left: @result.left, noise: @result.noise&.round(4), enough: @result.enough.threads,
           lines: @result.lines.map { |line| line(line) }, verdict: @sentences.verdict, doubts: @sentences.doubts}
        end

        private

        def line(line)
          {threads: line.threads, measured: line.readings.map { |reading| reading.throughput.round(3) }, **WAYS.to_h { |way| [way, predicted(line, way)] },
           gvl_share: line.median(&:gvl_share).round(4), lock_share: line.median(&:lock_share).round(4), p95_ns: line.median(&:p95_ns).round,
           mean: MEANS.to_h { |key| [key, line.median { |reading| reading.mean(key) }.round(1)] }}
        end

        def predicted(line, way)
          {jobs_per_second: line.predicted(way).round(3),
           errors: line.errors(way).values.map { |error| error.round(4) }}
        end
      end
    end
  end
end
