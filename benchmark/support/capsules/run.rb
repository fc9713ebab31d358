# frozen_string_literal: true

require "etc"
require "holdup/loader"
require_relative "../recording_grades"

module Bench
  module TwoCapsules
    SIZING = Holdup::Advise::Sizing
    LAB = Holdup::Lab::Jobs

    # The queue of the second capsule, by the name that its process knows.
    class HeavyQueue < Holdup::Lab::Redis::JobQueue
      def initialize(url)
        super
        @name = "heavy"
      end
    end

    # Jobs for both queues; `queue` is that of the second.
    BothQueues = Data.define(:light, :heavy, :queue)

    # Keeps two queues from running empty.
    class Supplies
      # @param queue [Holdup::Lab::Redis::JobQueue] of the first capsule
      # @param jobs [BothQueues]
      def initialize(queue, jobs)
        @each = [LAB::Run::Supply.new(queue, jobs.light), LAB::Run::Supply.new(jobs.queue, jobs.heavy)]
      end

      def pause_s = @each.first.pause_s

      def fill = @each.each(&:fill)
    end

    # One Sidekiq with two capsules that always have work: how many jobs each did, and what these jobs let
    # expect of other threads.
    class Run
      KINDS = [LAB::Kind.new(name: "LabMail", arguments: [4, 4, 5]),
        LAB::Kind.new(name: "LabReport", arguments: [2, 80, 6])].freeze

      # @param threads [Array<Integer>] of the light capsule and of the heavy one
      # @param redis [String] URL
      def initialize(threads, redis:)
        @threads = threads
        @redis = redis
      end

      # @param seconds [Numeric]
      # @param warm_up_s [Numeric]
      # @return [self]
      def call(seconds:, warm_up_s:)
        program = LAB::Program.own(jobs: File.expand_path("jobs.rb", __dir__),
          env: {"BENCH_HEAVY_THREADS" => @threads.last.to_s})
        queue = HeavyQueue.new(@redis)
        outcome = Holdup::Lab::Folders.open do |folders|
          run(program, queue, folders).call(seconds:, warm_up_s:)
        end
        @outcome = LAB::JobOutcome.new(threads: @threads.sum, seconds: outcome.count / outcome.throughput,
          windows: @intake.windows, unit_samples: @intake.unit_samples)
        self
      ensure
        queue&.remove
        queue&.close
      end

      # @return [Array<Float>] jobs per second of each capsule
      def measured
        jobs = @intake.windows.select { |window| window.series.kind == :job }.partition { |window|
          window.series.queue != "heavy"
        }
        jobs.map { |windows| windows.sum(&:count) * @outcome.throughput / @outcome.count }
      end

      # @param threads [Array<Integer>]
      # @return [Array<Float>] jobs per second of each capsule
      def predicted(threads)
        backlog.call(candidate(threads)).map(&:throughput)
      end

      # @return [Holdup::Advise::Sizing::Recommendation, nil] see RecordingGrades
      def advice
        @advice ||= RecordingGrades.advice(@intake.windows, @intake.samples, @intake.unit_samples)
      end

      private

      def run(program, queue, folders)
        light, heavy = KINDS.map { |kind| LAB::JobSequence.new([kind]) }
        jobs = BothQueues.new(light:, heavy:, queue:)
        LAB::Run.new(@threads.first, program:, work: jobs, redis: @redis, env: ENV.to_h, supply: Supplies,
          keep: ->(intake) { @intake = intake }, **folders)
      end

      def backlog
        @backlog ||= SIZING::PoolThroughput::AtBacklog.new(traffic, **machine,
          handoff_ns: SIZING::Handoff.fit(@outcome.waits) { |handoff_ns| waits(handoff_ns) })
      end

      def machine
        {vcpus: Etc.nprocessors, between: @outcome.between, cost: @outcome.recording.growth.cost}
      end

      # Of the recorded jobs on the recorded setting: their queues never got empty.
      def waits(handoff_ns)
        trace = SIZING::Trace.new(@outcome.unit_samples.each_with_index.map { |unit_sample, at|
          SIZING::Trace::TraceUnit.of(
            unit_sample, at, pool: pools.index(unit_sample)
          )
        })
        played = SIZING::Replay.call(trace,
          candidate(@threads).scenario(**machine, handoff_ns:, assignment: :shared))
        SIZING::Handoff::HandoffTimes.new(handoff_ns: played.handoff_ns, wait_ns: played.mean(:stalled))
      end

      def candidate(threads)
        SIZING::Candidate.new(processes: 1, threads: threads.sum, other_threads: [threads.last])
      end

      def pools
        @pools ||= SIZING::ThreadPools.new({"light" => @threads.first, "heavy" => @threads.last},
          {"heavy" => {"heavy" => 1}})
      end

      def traffic
        arrivals = @outcome.unit_samples.group_by { |unit_sample|
          unit_sample.start_ns / 1_000_000_000 / 60 * 60
        }.transform_values(&:size)
        SIZING::Traffic.of(@outcome.unit_samples, arrivals, pools:)
      end
    end
  end
end
