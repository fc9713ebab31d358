# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class SidekiqVcpu
      # The result for programs. The keys are documented in docs/sidekiq-vcpu.md and stay; new ones may come.
      class Json
        SCHEMA = 1

        # @param result [VcpuResult]
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
          {schema: SCHEMA, lab: "sidekiq-vcpu", setting: @result.alone.setting.attributes, vcpus: @result.vcpus, repeats: @result.repeats,
           autoscale_target: @result.target, alone_ns: @result.alone.each_ns.round, ceiling:, experiments: @result.lines.map { |line| experiment(line) },
           headline: @sentences.headline, meaning: @sentences.meaning, advice: @sentences.advice, doubts: @sentences.doubts}
        end

        private

        def ceiling
          one = @result.ceiling
          {processes: one.processes, low: one.low.round(4), high: one.high.round(4),
           alarm: one.alarm(@result.target), processes_needed: one.processes_needed}
        end

        def experiment(line)
          {name: line.experiment.name, **line.experiment.to_h.except(:name), **ratios(line), **shares(line),
           units: line.best.jobs.map { |job| unit(job) }}
        end

        def ratios(line)
          {each: line.each, in_all: line.in_all, each_undisturbed: line.undisturbed, expected_each: line.expected.each, expected_in_all: line.expected.in_all,
           spread: line.spread}.transform_values { |ratio| ratio.round(4) }.merge(as_expected: line.as_expected?, in_all_ns: line.best.in_all_ns)
        end

        def shares(line)
          best = line.best
          {cpu_share: best.cpu_share, cores: best.cores, starved_share: best.starved_share,
           stall_caused_by_other_job: best.caused_by_job}
            .transform_values { |share| share&.round(4) }.merge(alarm: @result.alarm?(line))
        end

        def unit(job)
          {name: job.name, queued_ns: job.queued_ns, wall_ns: job.wall_ns, running_ns: job.running_ns, stalled_ns: job.stalled_ns,
           **job.split.to_h.except(:stalled).transform_keys { |state| :"#{state}_ns" }}
        end
      end
    end
  end
end
