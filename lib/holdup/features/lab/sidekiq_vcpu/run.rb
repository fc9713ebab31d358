# frozen_string_literal: true

require "fileutils"
require "rbconfig"

module Holdup
  module Lab
    class SidekiqVcpu
      # One run of one experiment, measured like an application: `holdup exec -- sidekiq`, then `holdup
      # collect --once`. Enqueues the jobs only when every process is ready.
      class Run
        EXE = File.expand_path("../../../../../exe/holdup", __dir__)
        JOBS = File.expand_path("jobs.rb", __dir__)
        NAMES = %w[JobA JobB].freeze
        # A job may take this many times the theoretical time, because others may use the machine.
        PATIENCE = 20
        # The user's own variables of Holdup, Sidekiq and Redis do not apply to the experiment.
        FOREIGN = /\A(HOLDUP_|REDIS_PROVIDER\z)/

        # @param program [String] Sidekiq's
        # @param segments [String] folder on tmpfs
        def initialize(experiment, program:, redis:, folder:, segments:, env:)
          @experiment = experiment
          @program = program
          @folder = folder
          @queue = Queue.new(redis)
          @env = {
            **env.keys.grep(FOREIGN).to_h { |key| [key, nil] },
            "HOLDUP_DIR" => segments,
            "HOLDUP_STORE" => store,
            "REDIS_URL" => redis,
            "LAB_NAME" => @queue.name
          }
          @children = []
        end

        # @param rounds [Integer] of work in each job
        # @param seconds [Numeric] target time of one job alone
        # @return [String] path of the store with the measurements
        # @raise [Holdup::Error]
        def call(rounds, seconds)
          @queue.check
          @experiment.processes.times { |number| start(number) }
          await("ready", @experiment.processes, ServerUnderTest::BOOT_S)
          work(rounds, seconds)
          finish
          store
        ensure
          clean_up
        end

        private

        def store = File.join(@folder, "store.sqlite3")

        def start(number)
          options = ["-r", JOBS, "-c", @experiment.concurrency.to_s, "-q", @queue.name]
          sidekiq = [RbConfig.ruby, @program, *options]
          @children << Child.new(RbConfig.ruby, EXE, "exec", "--no-collector", "--", *sidekiq,
            env: @env, folder: @folder, log: File.join(@folder, "sidekiq-#{number}.log"))
        end

        # @param times [Integer] number of entries to wait for
        def await(list, times, patience_s)
          deadline = now + patience_s
          until times.zero?
            times -= 1 if @queue.taken?(list)
            complain("ended too early") unless @children.all?(&:alive?)
            complain("was not done in #{patience_s.round} s") if times.positive? && now > deadline
          end
        end

        def work(rounds, seconds)
          jobs = NAMES.first(@experiment.jobs).each { |job| @queue.push(job, rounds) }
          await("begun", @experiment.at_once, ServerUnderTest::BOOT_S)
          @queue.go(jobs.size)
          await("done", jobs.size, ServerUnderTest::BOOT_S + seconds * jobs.size * PATIENCE)
        end

        def finish
          @children.map { |child| Thread.new { child.stop } }.each(&:join)
          @children.clear
          collector = Child.new(RbConfig.ruby, EXE, "collect", "--once", env: @env.merge("RUBYOPT" => nil),
            folder: @folder, log: File.join(@folder, "collect.log"))
          @children << collector
          IO.select(nil, nil, nil, Child::POLL_S) while collector.alive?
        end

        def complain(what)
          words = @children.map { |child| child.last_words.strip }.reject(&:empty?).join("\n")
          raise Error.new("a Sidekiq of the experiment #{what}", "it said: #{words}")
        end

        def clean_up
          @children.each(&:stop)
          @queue.remove
        ensure
          @queue.close
        end

        def now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end

        # The queue, with the lists through which the experiment's processes report progress.
        class Queue < Redis::JobQueue
          # Redis takes whole seconds; Sidekiq's connections wait a little longer.
          WAIT_S = 1
          # ready: a process can take jobs. begun: a job runs and waits for go, so that concurrent jobs start
          # together (a computing job would delay the others' start). done: the job has ended.
          LISTS = %w[ready begun go done].freeze
          PATIENCE_S = 3

          # @param job [String] class
          def push(job, rounds) = super(job, rounds, name)

          # @param count [Integer] number of jobs that may start
          def go(count)
            @pool.with { |redis| redis.call("LPUSH", "#{name}:go", *[name] * count) }
          end

          # @param list [String] of LISTS
          # @return [Boolean] whether there was an entry within a second
          def taken?(list)
            !!@pool.with { |redis| redis.blocking_call(PATIENCE_S, "BRPOP", "#{name}:#{list}", WAIT_S) }
          end

          private

          def keys
            [*super, *LISTS.map { |list| "#{name}:#{list}" }]
          end
        end
      end
    end
  end
end
