# frozen_string_literal: true

require "sidekiq"
require_relative "story_recorder"
require_relative "statement_job"

module Stories
  # Records docs/stories/vcpus-doubled.md: statements in a Sidekiq in a container of one vCPU, then of two;
  # at the end of the month, when more of them come; and then in two Sidekiq processes.
  class VcpusDoubled
    JobPhase = Data.define(:about, :vcpus, :processes, :load, :minutes)
    # `load`: CPU time that the jobs want, in CPUs.
    PHASES = [
      JobPhase.new(about: "one vCPU", vcpus: 1, processes: 1, load: 0.75, minutes: 2),
      JobPhase.new(about: "two vCPUs", vcpus: 2, processes: 1, load: 0.75, minutes: 2),
      JobPhase.new(about: "end of the month", vcpus: 2, processes: 1, load: 1.25, minutes: 3),
      JobPhase.new(about: "two processes", vcpus: 2, processes: 2, load: 1.25, minutes: 3)
    ].freeze
    QUEUE = "statements"
    SIDEKIQ = ["bundle", "exec", "sidekiq", "-r", "./statement_job.rb", "-c", "10", "-q", QUEUE].freeze
    CUSTOMERS = 1..5000
    READY = "Running in ruby"
    # Jobs that are rendered to learn how long one takes on this machine.
    TRIALS = 40

    # @param target [String] a file in test/fixtures
    # @return [void]
    def self.record(target)
      Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) do |url|
        env = {"REDIS_URL" => url, "HOLDUP_REVISION" => "5e1c7d0", "RUBYOPT" => nil}
        StoryRecorder.make(target, app: "Statements", host: "jobs-1", env:) do |recorder|
          new(recorder, url).call
        end
      end
    end

    def initialize(recorder, url)
      @recorder = recorder
      @client = Sidekiq::Client.new(pool: Sidekiq::RedisConnection.create(url:, size: 1))
      @random = Random.new(1)
      @job_s = job_seconds
    end

    # @return [void]
    def call
      PHASES.each { |phase| phase(phase) }
    end

    private

    def phase(phase)
      resize(phase)
      rate = phase.load / @job_s
      @recorder.minutes(phase.minutes) do |seconds|
        @recorder.say("#{phase.about}: #{rate.round(1)} jobs a second")
        come(rate, seconds)
      end
    end

    # A process that has the setting already goes on.
    def resize(phase)
      size = [phase.vcpus, phase.processes]
      return if size == @size
      # The collector looks at the container once a minute: first it has to see the last one as it was.
      @recorder.pause(StoryRecorder::MINUTE_S) if @size
      @size = size
      names.each { |name| @recorder.stop(name) }
      @recorder.container.vcpus = phase.vcpus
      @running = phase.processes
      names.each { |name| @recorder.start(name, *SIDEKIQ, chdir: __dir__) }
      names.each { |name| @recorder.await(name, READY) }
    end

    def names = Array.new(@running.to_i) { |number| :"sidekiq#{number + 1}" }

    # Independent customers: times between two jobs are exponential.
    def come(rate, seconds)
      due_s = now_s
      end_s = due_s + seconds
      while (due_s -= Math.log(1 - @random.rand) / rate) < end_s
        @recorder.pause([due_s - now_s, 0].max)
        @client.push("class" => "StatementJob", "args" => [@random.rand(CUSTOMERS)], "queue" => QUEUE)
      end
    end

    def job_seconds
      job = StatementJob.new
      from_s = cpu_s
      TRIALS.times { |customer| job.render(customer) }
      (cpu_s - from_s) / TRIALS
    end

    def cpu_s = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

    def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
