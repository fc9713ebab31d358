# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/growth/tide"
require_relative "support/recording_grades"

module Bench
  # Whether a recording tells that jobs cost more CPU the more of them are in flight, and whether predictions
  # are better for it.
  class PredictGrowth
    RECORDED = 5
    THREADS = [1, 5, 10].freeze
    KINDS = [Holdup::Lab::Jobs::Kind.new(name: "ExportJob", arguments: [5_000, 64, 2_000, 3])].freeze
    # A collection after each 4 MB of buffers, of new objects and of what lies on stacks.
    GC_BYTES = (4 << 20).to_s
    # Rare are those of all objects: their cost is the application's, with one job in flight and with ten. So
    # there is room from the start.
    WHOLE_GC_BYTES = (4 << 30).to_s
    ROOM = {"RUBY_GC_HEAP_0_INIT_SLOTS" => "150000", "RUBY_GC_HEAP_1_INIT_SLOTS" => "50000",
            "RUBY_GC_HEAP_2_INIT_SLOTS" => "20000", "RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR" => "4"}.freeze
    LIMITS = {"RUBY_GC_MALLOC_LIMIT" => GC_BYTES, "RUBY_GC_OLDMALLOC_LIMIT" => WHOLE_GC_BYTES}.freeze
    ENVIRONMENT = {**LIMITS, **LIMITS.transform_keys { |name| "#{name}_MAX" }, **ROOM,
      "RUBYLIB" => File.join(Fresh::ROOT, "lib")}.freeze
    COLUMNS = ["threads", "jobs/s, measured", "running, ms", "GC of it, ms", "predicted", "error, %",
      "with constant cost", "error, %"].freeze
    LIMIT = 8.0

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @recorded_s, @warm_up_s = quick ? [1, 4, 40, 2] : [6, 8, 30, 3]
    end

    # @return [Result]
    def call
      @program = Holdup::Lab::Jobs::Program.own(env: ENVIRONMENT,
        jobs: File.expand_path("support/growth/jobs.rb", __dir__))
      Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) { |url| measure(url) }
      Result.new(title: "Jobs that cost more under concurrency, predicted", about:,
        tables: [ResultTable.new(COLUMNS, THREADS.map { |threads| row(threads) })], budgets:, notes:)
    end

    private

    # Recorded and measured in turn: for minutes on end collections take a tenth longer or shorter, by what
    # else the machine's memory is used for.
    def measure(url)
      runs = Rounds.call([:recording, *THREADS], @rounds) do |arm|
        warn("bench: #{arm}")
        (arm == :recording) ? record(url) : run(arm, url, @seconds)
      end
      @recorded = together(runs.delete(:recording))
      @measured = runs
    end

    def record(url)
      run(RECORDED, url, @recorded_s, supply: Growth::Tide, keep: method(:keep))
    end

    def keep(intake)
      (@advices ||= []) << RecordingGrades.advice(intake.windows, intake.samples, intake.unit_samples)
    end

    # Their settings differ in the name of the queue only.
    def together(outcomes)
      setting = outcomes.first.unit_samples.first.setting
      windows, unit_samples = %i[windows unit_samples].map { |name|
        outcomes.flat_map(&name).map { |one| one.with(setting:) }
      }
      Holdup::Lab::Jobs::JobOutcome.new(threads: RECORDED, seconds: outcomes.sum(&:seconds), windows:,
        unit_samples:)
    end

    def run(threads, url, seconds, **options)
      Holdup::Lab::Folders.open do |folders|
        Holdup::Lab::Jobs::Run.new(
          threads,
          program: @program,
          work: Holdup::Lab::Jobs::JobSequence.new(KINDS),
          redis: url,
          env: ENV.to_h,
          **folders,
          **options
        )
          .call(warm_up_s: @warm_up_s, seconds:)
      end
    end

    def recording = @recorded.recording

    def growth = recording.growth

    def predicted(threads, constant: false)
      (@predicted ||= {})[[threads,
        constant]] ||= Holdup::Advise::Sizing::PoolThroughput::BacklogReplay.new(
          @recorded.unit_samples,
          vcpus: recording.vcpus,
          between: recording.between,
          cost: constant ? Holdup::Advise::Sizing::CoherencyCost::CONSTANT : growth.cost
        ).throughput(threads:)
    end

    def measured(threads)
      Spread.of(@measured.fetch(threads).map(&:throughput))
    end

    def error(threads, constant: false)
      (predicted(threads, constant:) / measured(threads).median - 1) * 100
    end

    def row(threads)
      [
        threads.to_s,
        measured(threads).to_s(1),
        *%i[running gc_ns].map { |key|
          Spread.of(@measured.fetch(threads).map { |outcome| outcome.mean(key) / 1e6 }).to_s(1)
        },
        *[false, true].flat_map { |constant|
          [
            format("%.1f", predicted(threads, constant:)),
            format("%+.1f", error(threads, constant:))
          ]
        }
      ]
    end

    def about
      "A Sidekiq whose jobs are deep in a recursion and read through buffers there, so that each garbage " \
      "collection has to go through the stacks of all jobs in flight " \
        "(`benchmark/support/growth/jobs.rb`). #{@rounds} rounds: in each #{@recorded_s} s are recorded " \
        "with #{RECORDED} threads while jobs come one by one at #{Growth::Tide::RATES.join(", ")} a " \
        "second in turn, #{Growth::Tide::PHASE_S} s each, " \
        "and each number of threads is measured for #{@seconds} s with a queue that is never empty, each " \
        "in a process of its own. Predicted from all that was recorded, together."
    end

    def notes
      [found, rested, self_tests,
        "\"With constant cost\" is the same replay of the same jobs without growth and rests, as every " \
        "formula in the field has it."]
    end

    def found
      all = growth.overall
      marking = growth.marking
      unless all.grows?
        return "Not recognised: for twice as many in flight the recording's interval is " \
          "#{interval(all)}, from #{all.units} jobs."
      end
      collected = ", #{percent(all.gc)} of it garbage collection" if all.gc
      "Recognised: with twice as many in flight the running time of every job is #{percent(all.value)} " \
        "longer (90 % interval #{interval(all)}, from #{all.units} jobs)#{collected}.#{marked(marking)}"
    end

    def marked(marking)
      return unless marking.grows?
      " Each further one adds #{percent(marking.value)} (#{interval(marking)}) " \
        "by what collections mark of it."
    end

    def rested
      "A job that begins after its process has rested for long runs #{percent(growth.rest.value || 0.0)} " \
      "longer (#{interval(growth.rest)}); the rounds have no rests."
    end

    def self_tests
      grades = RecordingGrades.new(@advices)
      "Self-test in `holdup advise` of each round's recording: #{grades} (medians: #{grades.errors})."
    end

    def interval(estimate)
      "#{percent(estimate.low)} to #{percent(estimate.high)}"
    end

    def percent(share) = format("%.1f %%", share * 100)

    def budgets
      others = THREADS - [RECORDED]
      {"with its growth" => false, "with constant cost" => true}.map do |name, constant|
        largest = others.map { |threads| error(threads, constant:).abs }.max
        Budget.new(
          "Largest error for #{others.join(" and ")} threads against the median of the rounds, #{name}",
          LIMIT, largest, "%"
        )
      end
    end
  end
end
