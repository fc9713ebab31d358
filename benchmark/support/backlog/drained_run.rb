# frozen_string_literal: true

require "holdup/loader"
require "rbconfig"
require "sidekiq"
require_relative "../recording_grades"

module Bench
  module Backlog
    LAB = Holdup::Lab

    # Jobs of one class that wait in a queue of their own before Sidekiq starts.
    FilledQueue = Data.define(:queue, :job, :arguments, :count)

    # A real Sidekiq process that finds all of these jobs in strictly ordered queues, until the last one has
    # ended: how long that took, and what Holdup recorded of it.
    class DrainedRun
      STEP_S = 0.2
      # It hangs if nothing ended for so long.
      # Longer than a busy machine needs to start it, and for any job.
      PATIENCE_S = 300
      JOBS = File.expand_path("../exact/jobs.rb", __dir__)

      # @param threads [Integer]
      # @param redis [String] URL of a Redis without jobs
      # @param jobs [Array<FilledQueue>] in the order of their queues
      def initialize(threads, redis:, jobs:)
        @threads = threads
        @redis = redis
        @jobs = jobs
      end

      # @return [Integer]
      attr_reader :threads

      # @return [Float] ns that a fixed piece of work took, meanwhile
      attr_reader :work_ns

      # @return [self]
      # @raise [Holdup::Error]
      def call
        push
        LAB::Folders.open do |folders|
          @intake = LAB::InMemoryStore.new(folders.fetch(:segments))
          start(**folders)
          drain
          @intake.close
          @units = @intake.unit_samples.select { |unit| unit.series.kind == :job }
        ensure
          @child&.stop
        end
        self
      end

      # @return [Float] seconds from the begin of the first job to the end of the last one
      def seconds
        (@units.map(&:end_ns).max - begin_ns).fdiv(Holdup::NS)
      end

      # @return [Float] time of holding the GVL against CPU used meanwhile: above 1.1, others took the CPUs
      def held_per_cpu
        @units.sum(&:running_ns).fdiv(@units.sum(&:cpu_ns))
      end

      # @return [Hash{String => Float}] queue => seconds until its jobs began, on average
      def waits
        @units.group_by { |unit| unit.series.queue }.transform_values do |same|
          (same.sum(&:start_ns).fdiv(same.size) - begin_ns) / Holdup::NS
        end
      end

      # @return [Holdup::Advise::Sizing::BacklogCompletion]
      def completion
        sizing = Holdup::Advise::Sizing
        queues = @jobs.each_with_index.map do |waiting, lane|
          sizing::WaitingBacklog::BacklogQueue.new(name: waiting.queue, size: waiting.count, lane:)
        end
        advice = RecordingGrades.advice(@intake.windows, @intake.samples, @intake.unit_samples)
        sizing::BacklogCompletion.of(advice, sizing::WaitingBacklog.new(at_s: 0, queues:))
      end

      private

      def begin_ns = @units.map(&:start_ns).min

      def push
        pool = ::Sidekiq::RedisConnection.create(url: @redis, size: 1)
        client = ::Sidekiq::Client.new(pool:)
        @jobs.each do |waiting|
          client.push_bulk("class" => waiting.job, "args" => Array.new(waiting.count) { waiting.arguments },
            "queue" => waiting.queue, "retry" => false)
        end
      ensure
        pool&.shutdown(&:close)
      end

      def start(folder:, segments:)
        queues = @jobs.flat_map { |waiting| ["-q", waiting.queue] }
        sidekiq = [*LAB::Jobs::Program.own(jobs: JOBS).command, "-c", @threads.to_s, *queues]
        @log = File.join(folder, "sidekiq.log")
        @child = LAB::Child.new(RbConfig.ruby, LAB::Jobs::Run::EXE, "exec", "--no-collector", "--", *sidekiq,
          env: environment(segments), folder:, log: @log)
      end

      def environment(segments)
        foreign = ENV.keys.grep(LAB::Jobs::Run::FOREIGN).to_h { |key| [key, nil] }
        own = {"HOLDUP_DIR" => segments, "HOLDUP_COLLECTOR" => "off", "REDIS_URL" => @redis}
        {**foreign, **own, "RAILS_MAX_THREADS" => @threads.to_s}
      end

      def drain
        works = []
        last = [0, now]
        until (count = @intake.take.count) == @jobs.sum(&:count)
          last = [count, now] if count > last.first
          complain(count) if !@child.alive? || now - last.last > PATIENCE_S
          works << Holdup::FixedWork.ns
          IO.select(nil, nil, nil, STEP_S)
        end
        @work_ns = works.sum.fdiv(works.size)
      end

      def complain(count)
        raise Holdup::Error.new("Sidekiq with a concurrency of #{@threads} did #{count} of its jobs",
          "it said: #{@child.last_words.strip}")
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
