# frozen_string_literal: true

require "rbconfig"

module Holdup
  module Lab
    class Jobs
      # One Sidekiq process with one concurrency, from its start to its end: `holdup exec -- sidekiq ... -c N
      # -q QUEUE` with a queue that never gets empty. Jobs before the end of the warm-up don't count.
      class Run
        EXE = File.expand_path("../../../../../exe/holdup", __dir__)
        STEP_S = 0.25
        # The user's own variables of Holdup, Sidekiq and Redis do not apply to the experiment.
        FOREIGN = /\A(HOLDUP_|REDIS_PROVIDER\z)/

        # @param program [Program] how to start it
        # @param segments [String] folder on tmpfs
        # @param supply [#new] puts work into the queue; see Supply
        # @param keep [#call] receives the InMemoryStore after the measurement
        # @param progress [#call] receives :boot, :warm_up or :count
        def initialize(threads, program:, work:, redis:, env:, folder:, segments:, supply: Supply,
          keep: ->(_intake) {}, progress: ->(_doing) {})
          @threads = threads
          @program = program
          @folder = folder
          @intake = InMemoryStore.new(segments)
          @queue = Redis::JobQueue.new(redis)
          @supply = supply.new(@queue, work)
          @keep = keep
          @progress = progress
          @env = {
            **env.keys.grep(FOREIGN).to_h { |key| [key, nil] },
            "HOLDUP_DIR" => segments,
            "HOLDUP_COLLECTOR" => "off",
            "REDIS_URL" => redis,
            "RAILS_MAX_THREADS" => threads.to_s,
            **program.env
          }
        end

        # @raise [Holdup::Error]
        def call(warm_up_s:, seconds:)
          @queue.check
          doing(:boot) { boot }
          doing(:warm_up) { go_on(warm_up_s) }
          @intake.clear
          from = now
          doing(:count) { go_on(seconds) }
          @keep.call(@intake.close)
          JobOutcome.new(threads: @threads, seconds: now - from, windows: @intake.windows,
            unit_samples: @intake.unit_samples)
        ensure
          clean_up
        end

        private

        def doing(what)
          @progress.call(what)
          yield
        end

        def boot
          sidekiq = [*@program.command, "-c", @threads.to_s, "-q", @queue.name]
          @child = Child.new(RbConfig.ruby, EXE, "exec", "--no-collector", "--", *sidekiq,
            env: @env, folder: @program.folder || @folder, log: File.join(@folder, "sidekiq.log"))
          deadline = now + ServerUnderTest::BOOT_S
          until @intake.take.count.positive?
            step
            complain("did no job in #{ServerUnderTest::BOOT_S} s") if now > deadline
          end
        end

        def go_on(seconds)
          deadline = now + seconds
          while (left = deadline - now).positive?
            step([STEP_S, left].min)
            @intake.take
          end
        end

        def step(seconds = STEP_S)
          deadline = now + seconds
          while (left = deadline - now).positive?
            @supply.fill
            IO.select(nil, nil, nil, [@supply.pause_s, left].min)
          end
          complain("ended too early") unless @child.alive?
        end

        def complain(what)
          raise Error.new("Sidekiq with a concurrency of #{@threads} #{what}",
            "it said: #{@child.last_words.strip}")
        end

        def clean_up
          @child&.stop
          @queue.remove
        ensure
          @queue.close
        end

        def now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end

        # Keeps the queue from running empty, so that the threads always have work.
        class Supply
          LEAST = 1_000
          # Keeps this many times the jobs of the last interval in the queue.
          AHEAD = 6
          PAUSE_S = 0.25

          def initialize(queue, work)
            @queue = queue
            @work = work
            @left = @pushed = 0
          end

          # @return [Float] until the next #fill
          def pause_s = PAUSE_S

          # Adds more jobs than run until the next call.
          # @raise [Holdup::Error] the queue had run empty
          def fill
            left = @queue.size
            raise empty if left.zero? && @pushed.positive?
            wanted = [LEAST, AHEAD * (@left - left)].max
            (wanted - left).clamp(0, nil).times { push }
            @left = [left, wanted].max
          end

          private

          def push
            kind = @work.next
            @queue.push(kind.name, *kind.arguments)
            @pushed += 1
          end

          def empty
            Error.new("the queue ran empty after #{@pushed} jobs",
              "jobs this short are done faster than one client can push them; take longer ones")
          end
        end
      end
    end
  end
end
