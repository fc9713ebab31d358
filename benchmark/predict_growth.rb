# frozen_string_literal: true

require "holdup/analysis/sizing/backlog"
require "holdup/lab/folders"
require "holdup/lab/jobs/program"
require "holdup/lab/jobs/run"
require "holdup/lab/jobs/work"
require "holdup/lab/redis"
require_relative "support/bench"
require_relative "support/growth/speed"
require_relative "support/growth/tide"

module Bench
  # Whether a recording tells that jobs cost more CPU the more of them are in flight, and whether predictions are better for it.
  class PredictGrowth
    RECORDED = 5
    THREADS = [1, 5, 10].freeze
    KINDS = [Holdup::Lab::Jobs::Kind.new(name: "ExportJob", arguments: [5_000, 64, 2_000, 3])].freeze
    # A collection after each 4 MB of buffers, of new objects and of what lies on stacks.
    GC_BYTES = (4 << 20).to_s
    # Rare are those of all objects: their cost is the application's, with one job in flight and with ten. So there is room from the start.
    WHOLE_GC_BYTES = (4 << 30).to_s
    ROOM = {"RUBY_GC_HEAP_0_INIT_SLOTS" => "150000", "RUBY_GC_HEAP_1_INIT_SLOTS" => "50000", "RUBY_GC_HEAP_2_INIT_SLOTS" => "20000", "RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR" => "4"}.freeze
    LIMITS = {"RUBY_GC_MALLOC_LIMIT" => GC_BYTES, "RUBY_GC_OLDMALLOC_LIMIT" => WHOLE_GC_BYTES}.freeze
    ENVIRONMENT = {**LIMITS, **LIMITS.transform_keys { |name| "#{name}_MAX" }, **ROOM, "RUBYLIB" => File.join(Fresh::ROOT, "lib")}.freeze
    COLUMNS = ["threads", "jobs/s, measured", "running, ms", "GC of it, ms", "speed of the machine, %", "predicted", "error, %", "with constant cost", "error, %"].freeze
    # What was measured in a run, and how fast the machine was then.
    Run = Data.define(:outcome, :speed)
    LIMIT = 8.0

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @recording_s, @warm_up_s = quick ? [1, 4, 40, 2] : [5, 8, 150, 3]
    end

    # @return [Result]
    def call
      @program = Holdup::Lab::Jobs::Program.own(env: ENVIRONMENT, jobs: File.expand_path("support/growth/jobs.rb", __dir__))
      Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) { |url| measure(url) }
      Result.new(title: "Jobs that cost more in company, predicted", about:, tables: [Table.new(COLUMNS, THREADS.map { |threads| row(threads) })], budgets:, notes:)
    end

    private

    def measure(url)
      @redis = RedisClient.config(url:).new_client
      warn("bench: recording")
      @recording = run(RECORDED, url, @recording_s, supply: Growth::Tide)
      @measured = Rounds.call(THREADS, @rounds) do |threads|
        warn("bench: #{threads} threads")
        run(threads, url, @seconds)
      end
    end

    def run(threads, url, seconds, **options)
      outcome = Holdup::Lab::Folders.open do |folders|
        Holdup::Lab::Jobs::Run.new(threads, program: @program, work: Holdup::Lab::Jobs::Work.new(KINDS), redis: url, env: ENV.to_h, **folders, **options)
          .call(warm_up_s: @warm_up_s, seconds:)
      end
      Run.new(outcome:, speed: Growth::Speed.taken(@redis))
    end

    def growth = @recording.outcome.recording.growth

    # As if the machine had been as fast in the recording as it was in that run: collections would have taken less, or more.
    def profiles(speed)
      slower = @recording.speed / speed - 1
      @recording.outcome.profiles.map do |profile|
        more = (profile.gc_ns * slower).round
        profile.with(running_ns: profile.running_ns + more, gc_ns: profile.gc_ns + more)
      end
    end

    def predicted(threads, speed, constant: false)
      (@predicted ||= {})[[threads, speed, constant]] ||= profiles(speed).then do |profiles|
        cost = constant ? Holdup::Analysis::Sizing::Cost::CONSTANT : Holdup::Analysis::Sizing::Growth.new(profiles).cost
        Holdup::Analysis::Sizing::Backlog.new(profiles, vcpus:, between: @recording.outcome.recording.between, cost:).throughput(threads:)
      end
    end

    def vcpus = @recording.outcome.recording.vcpus

    def outcomes(threads) = @measured.fetch(threads).map(&:outcome)

    def speeds(threads) = @measured.fetch(threads).map { |run| 100 * run.speed / @recording.speed }

    def predictions(threads, **how) = Spread.of(@measured.fetch(threads).map { |run| predicted(threads, run.speed, **how) })

    # Round by round.
    def errors(threads, **how) = Spread.of(@measured.fetch(threads).map { |run| (predicted(threads, run.speed, **how) / run.outcome.throughput - 1) * 100 })

    def row(threads)
      [threads.to_s, Spread.of(outcomes(threads).map(&:throughput)).to_s(1), *%i[running gc_ns].map { |key| Spread.of(outcomes(threads).map { |outcome| outcome.mean(key) / 1e6 }).to_s(1) },
        Spread.of(speeds(threads)).to_s(0), *[false, true].flat_map { |constant| [predictions(threads, constant:).to_s(1), errors(threads, constant:).to_s(1)] }]
    end

    def about
      "A Sidekiq whose jobs are deep in a recursion and read through buffers there, so that each garbage collection has to go through the stacks of all jobs in flight " \
        "(`benchmark/support/growth/jobs.rb`). Recorded for #{@recording_s} s with #{RECORDED} threads while jobs came one by one at #{Growth::Tide::RATES.join(", ")} a second in turn, #{Growth::Tide::PHASE_S} s each; then #{@rounds} rounds of #{@seconds} s " \
        "for each number of threads, with a queue that is never empty."
    end

    def notes = [found, rested, "Without its garbage collections a job takes the same CPU time in every row. How far it gets in that is the speed of the machine, 100 % as in the recording: by as much collections take less or more, " \
        "and the recording was taken as one of that speed for the prediction of each round. At the recording's own speed: #{uncorrected}.",
      "\"With constant cost\" is the same replay of the same jobs without growth and rests, as every formula in the field has it."]

    def found
      all, marking = growth.overall, growth.marking
      return "Not recognised: for twice as many in flight the recording's interval is #{interval(all)}, from #{all.units} jobs." unless all.grows?
      "Recognised: with twice as many in flight the running time of every job is #{percent(all.value)} longer (90 % interval #{interval(all)}, from #{all.units} jobs)" \
        "#{", #{percent(all.gc)} of it garbage collection" if all.gc}.#{" Each further one adds #{percent(marking.value)} (#{interval(marking)}) by what collections mark of it." if marking.grows?}"
    end

    def rested = "A job that begins after its process has rested for long runs #{percent(growth.rest.value || 0.0)} longer (#{interval(growth.rest)}); in the rounds there is no rest."

    def interval(estimate) = "#{percent(estimate.low)} to #{percent(estimate.high)}"

    def percent(share) = format("%.1f %%", share * 100)

    def uncorrected
      THREADS.map do |threads|
        ways = [false, true].map { |constant| predicted(threads, @recording.speed, constant:) / Spread.of(outcomes(threads).map(&:throughput)).median - 1 }
        format("%d threads %+.1f %% (constant cost %+.1f %%)", threads, *ways.map { |error| error * 100 })
      end.join(", ")
    end

    def budgets
      others = THREADS - [RECORDED]
      {"with its growth" => false, "with constant cost" => true}.map do |name, constant|
        Budget.new("Largest error for #{others.join(" and ")} threads, median of the rounds, #{name}", LIMIT, others.map { |threads| errors(threads, constant:).median.abs }.max, "%")
      end
    end
  end
end
