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

    # Real Sidekiq processes that get all of these jobs at once, in strictly ordered queues, until the last
    # one has ended: how long that took, and what Holdup recorded of it.
    class DrainedRun
      STEP_S = 0.2
      # It hangs if nothing ended for so long.
      # Longer than a busy machine needs to start it, and for any job.
      PATIENCE_S = 300
      JOBS = File.expand_path("../exact/jobs.rb", __dir__)

      # @param processes [Integer]
      # @param threads [Integer] of each
      # @param redis [String] URL of a Redis without jobs
      # @param jobs [Array<FilledQueue>] in the order of their queues
      def initialize(processes, threads, redis:, jobs:)
        @processes = processes
        @threads = threads
        @redis = redis
        @jobs = jobs
      end

      # @return [Array(Integer, Integer)] processes, and threads of each
      def setting = [@processes, @threads]

      # @return [Float] ns that a fixed piece of work took, meanwhile
      attr_reader :work_ns

      # @return [self]
      # @raise [Holdup::Error]
      def call
        connected do |redis|
          LAB::Folders.open do |folders|
            @intake = LAB::InMemoryStore.new(folders.fetch(:segments))
            @children = []
            @processes.times { |index| start(index, **folders) }
            wait_until_all_run(redis)
            push(redis)
            drain
            @intake.close
            @units = @intake.unit_samples.select { |unit| unit.series.kind == :job }
          ensure
            @children.each(&:stop)
          end
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

      # @yieldparam redis [ConnectionPool]
      def connected
        pool = ::Sidekiq::RedisConnection.create(url: @redis, size: 1)
        pool.with { |redis| redis.call("FLUSHALL") }
        yield pool
      ensure
        pool&.shutdown(&:close)
      end

      # Each process is in Redis from its first heartbeat on.
      def wait_until_all_run(redis)
        begin_s = now
        until redis.with { |one| one.call("SCARD", "processes") } == @processes
          complain(0) if stopped? || now - begin_s > PATIENCE_S
          IO.select(nil, nil, nil, STEP_S)
        end
      end

      def push(pool)
        client = ::Sidekiq::Client.new(pool:)
        @jobs.each do |waiting|
          client.push_bulk("class" => waiting.job, "args" => Array.new(waiting.count) { waiting.arguments },
            "queue" => waiting.queue, "retry" => false)
        end
      end

      def start(index, folder:, segments:)
        queues = @jobs.flat_map { |waiting| ["-q", waiting.queue] }
        sidekiq = [*LAB::Jobs::Program.own(jobs: JOBS).command, "-c", @threads.to_s, *queues]
        log = File.join(folder, "sidekiq-#{index}.log")
        command = [RbConfig.ruby, LAB::Jobs::Run::EXE, "exec", "--no-collector", "--", *sidekiq]
        @children << LAB::Child.new(*command, env: environment(segments), folder:, log:)
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
          complain(count) if stopped? || now - last.last > PATIENCE_S
          works << Holdup::FixedWork.ns
          IO.select(nil, nil, nil, STEP_S)
        end
        @work_ns = works.sum.fdiv(works.size)
      end

      def stopped? = @children.any? { |child| !child.alive? }

      def complain(count)
        raise Holdup::Error.new("Sidekiq at #{setting.join(" x ")} did #{count} of its jobs",
          "it said: #{@children.map { |child| child.last_words.strip }.join("\n")}")
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
