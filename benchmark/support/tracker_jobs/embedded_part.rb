# frozen_string_literal: true

require_relative "../tracker/server"
require_relative "job_part"
require_relative "job_predictions"
require_relative "job_queues"

module Bench
  # Sidekiq in Puma's worker: requests and jobs of one process, both of which come on their own.
  class EmbeddedPart < JobPart
    NAME = "embedded"
    TITLE = "Sidekiq embedded in Puma"
    COUNT = "web + job threads"
    UNIT = "unit"
    WAITS = "queued + GVL wait"
    PREDICTIONS = EmbeddedPredictions
    SETTINGS = [[5, 3], [2, 3], [5, 8]].freeze
    UNITS = %w[requests jobs].freeze
    KINDS = {"requests" => :request, "jobs" => :job}.freeze
    # Of what the recorded setting serves of either while nothing of the other comes.
    SHARE = 0.35
    SEED = 5
    # For as many requests as advice needs at a load without long queues.
    LENGTH = 3
    # Times as long as other parts, by phase: queues of requests and jobs that meet by chance differ by a half
    # between two boots within 24 s.
    OPEN_LENGTH = 5
    SATURATED_LENGTH = 3
    DRAIN_S = 6

    # Pushes jobs that come on their own (Poisson).
    class JobArrivals
      # @param rate [Float] jobs per second
      # @return [Object] the block's value, while jobs come; none comes afterwards
      def self.during(queue, rate)
        random = Random.new(SEED)
        pusher = Thread.new do
          loop do
            IO.select(nil, nil, nil, -Math.log(1 - random.rand) / rate)
            queue.push_next
          end
        end
        yield
      ensure
        pusher&.kill&.join
      end
    end

    private

    def prepared
      Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) do |url|
        @queue = SidekiqQueue.new(url)
        TrackerApp.open(env: {"TRACKER_JOBS" => "sidekiq", "REDIS_URL" => url}) { |app| yield app }
      end
    end

    def booted(size, segments:, store:, &)
      @queue.clear
      threads, job_threads = size
      env = {"TRACKER_EMBEDDED_THREADS" => job_threads.to_s, "TRACKER_CONNECTIONS" => size.sum.to_s}
      TrackerServer.run(@app.with(env), processes: 1, threads:, segments:, store:, &)
    end

    def measure(size, server, intake)
      warm_up(server, until_s: now_s + @phases.warm_up_s)
      @rates ||= rates(server, intake)
      open = seen(server, intake) { serve(server, OPEN_LENGTH * @phases.open_s) }
      drain
      answers = nil
      requests = seen(server, intake) do
        answers = JobArrivals.during(@queue, @rates.fetch("jobs")) { server.saturate(saturated_s) }
      end
      drain
      jobs = full_of_jobs(server, intake)
      [units(size, "requests", answers.rate, saturated: requests, open:),
        units(size, "jobs", jobs.only { |unit| job?(unit) }.throughput, saturated: jobs, open:)]
    end

    # Jobs that always have work, while requests come.
    def full_of_jobs(server, intake)
      fill
      seen(server, intake) { ask(server, saturated_s) }
    ensure
      @queue.clear
    end

    def saturated_s = SATURATED_LENGTH * @phases.saturated_s

    # What it serves of either alone.
    def rates(server, intake)
      requests = server.saturate(@phases.saturated_s).rate
      fill
      jobs = seen(server, intake) { pass(@phases.saturated_s) }.only { |unit| job?(unit) }.throughput
      @queue.clear
      {"requests" => SHARE * requests, "jobs" => SHARE * jobs}
    end

    def units(size, name, throughput, saturated:, open:)
      of_kind = ->(unit) { unit.series.kind == KINDS.fetch(name) }
      timed = open.only(&of_kind)
      figures = SettingFigures.new(throughput:, **timed.times(queued: true))
      MeasuredUnits.new(size:, units: name, rate: @rates.fetch(name), figures:,
        saturated: saturated.only(&of_kind).cost(@calibration), open: timed.cost(@calibration))
    end

    def warm_up(server, until_s:)
      fill
      server.saturate([until_s - now_s - DRAIN_S, 1].max)
      @queue.clear
      pass(until_s - now_s)
    end

    def serve(server, seconds)
      JobArrivals.during(@queue, @rates.fetch("jobs")) { ask(server, seconds) }
    end

    def ask(server, seconds)
      arrivals = ChangingArrivals.steady(TrackerPages::ALL, rate: @rates.fetch("requests"), seconds:,
        seed: SEED)
      server.serve(arrivals, seconds)
    end

    def fill = @queue.fill((BacklogPart::JOBS_PER_SECOND * (@phases.longest_s + saturated_s)).ceil)

    # So that the next phase begins without the last one's jobs.
    def drain
      deadline_s = now_s + TrackerServer::PATIENCE_S
      pass(TrackerServer::POLL_S) until @queue.empty? || now_s > deadline_s
      pass(DRAIN_S / 3)
    end

    def job?(unit) = unit.series.kind == :job

    def recorded_rates = @rates
  end
end
