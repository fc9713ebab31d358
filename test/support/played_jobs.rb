# frozen_string_literal: true

require "holdup/loader"

# What Holdup would measure of a Sidekiq whose every job is known, because the replay made it: jobs of these
# shapes, always enough of them.
class PlayedJobs
  Sizing = Holdup::Advise::Sizing
  MS = 1_000_000
  # name => mean ms of holding and waiting, acquisitions, and of twenty jobs so many
  SHAPES = {"Mail" => [2, 24, 5, 10], "Sync" => [6, 12, 6, 7], "Report" => [16, 12, 2, 3]}.freeze
  JOBS = 1000

  # @param truth [Float] by how much longer jobs hold the GVL at other concurrencies than five than anybody
  #   could know
  def initialize(truth: 1.0, locked: 0.0, errors: 0)
    @truth = truth
    @locked = locked
    @errors = errors
  end

  # @param plan [Holdup::Lab::Jobs::JobsPlan]
  # @param steps [Integer] of it that were done
  # @param path [String]
  # @return [Holdup::Lab::Jobs::JobLog]
  def ledger(plan, steps: plan.steps.size, path: "jobs.json")
    readings = plan.steps.first(steps).each_with_index.map do |step, index|
      Holdup::Lab::Jobs::JobOutcome::JobsMeasurement.of(outcome(step.threads, seed: index), step,
        concurrency: plan.predicted_from(step))
    end
    Holdup::Lab::Jobs::JobLog.new(path, plan, readings:)
  end

  # @param concurrency [Array<Integer>]
  # @return [Holdup::Lab::Jobs::JobsPlan] from five threads
  def self.plan(concurrency = [1, 5, 20], rounds: 2, **options)
    Holdup::Lab::Jobs::JobsPlan.new(concurrency:, baseline: 5, seconds: 1, warm_up_s: 1, rounds:, **options)
  end

  # Two rounds of three concurrencies in which nothing disturbs, computed once.
  # @return [Holdup::Lab::Jobs::JobsResult]
  def self.quiet
    @quiet ||= Holdup::Lab::Jobs::JobsResult.new(new.ledger(plan), signal: nil)
  end

  # @param threads [Integer]
  # @return [Holdup::Lab::Jobs::JobOutcome]
  def outcome(threads, seed: threads)
    units = Array.new(JOBS) { |index|
      unit(index, Random.new(seed * JOBS + index), (threads == 5) ? 1.0 : @truth)
    }
    played = Sizing::Replay.call(Sizing::Trace.new(units.map(&:last)),
      Sizing::Scenario.of(processes: 1, threads:, vcpus: 2, assignment: :shared))
    unit_samples = played.rows.zip(units).map { |result, (name, unit)|
      unit_sample(name, unit, result)
    }
    Holdup::Lab::Jobs::JobOutcome.new(threads:, seconds: played.elapsed_ns / 1e9,
      windows: [*windows(unit_samples, threads), handoff(played)], unit_samples:)
  end

  private

  def unit(index, random, truth)
    name, (held, idle, acquisitions, _) = SHAPES.to_a[index % 20 / 10 + index % 20 / 17]
    around = ->(ms) { (ms * MS * (0.5 - 0.5 * Math.log(1 - random.rand))).round }
    [name,
      Sizing::Trace::TraceUnit.new(
        arrival_ns: index,
        held_ns: (around[held] * truth).round,
        idle_ns: around[idle],
        acquisitions:
      )]
  end

  def unit_sample(name, unit, (_, stalled, held, _))
    ExampleUnits.unit_sample(
      unit.arrival_ns / 1e6,
      name:,
      kind: :job,
      queue: "lab",
      setting:,
      running_ns: held,
      cpu_ns: held,
      idle_ns: unit.idle_ns,
      stalled_ns: stalled,
      acquisitions: unit.acquisitions,
      longest_hold_ns: 0,
      in_flight_milli: 1000
    )
  end

  def setting
    @setting ||= Holdup::Setting.new(attributes: {"ruby" => "3.4.5", "jobs_version" => "8.1.7", "vcpus" => 2})
  end

  def windows(unit_samples, threads)
    unit_samples.group_by(&:series).map { |series, same| window(series, same, threads) }
  end

  def handoff(played)
    Holdup::Window.empty(series: Holdup::Series::HANDOFF, setting:, host: "a",
      start_s: ExampleUnits::START_S, seconds: 60)
      .then { |empty|
      empty.with(sums: empty.sums.merge(caused_ns: played.handed_ns.round))
    }
  end

  def window(series, same, threads)
    histograms = {wall: :wall_ns, running: :running_ns, stalled: :stalled_ns,
                  idle: :idle_ns}.transform_values { |field|
      Holdup::Histogram.of(same.map(&field))
    }
    empty = Holdup::Window.empty(series:, setting:, host: "a", start_s: ExampleUnits::START_S, seconds: 60)
    sums = {
      cpu_ns: same.sum(&:cpu_ns),
      acquisitions: same.sum(&:acquisitions),
      lock_ns: (same.sum(&:wall_ns) * @locked * threads / 20).round
    }
    empty.with(
      count: same.size,
      errors: @errors,
      histograms: empty.histograms.merge(histograms),
      sums: empty.sums.merge(sums)
    )
  end
end
