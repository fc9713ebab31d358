# frozen_string_literal: true

require "holdup/loader"
require "holdup/model/sample_block"

# A recording as a server would make it, simulated: its facts are given instead of measured. Units with these
# shapes arrive at these rates and are replayed on the setting that is "now". What was measured is then known,
# and what other settings would do can be replayed as well.
class PlayedRecording < Holdup::Advise::Sizing::Recording
  Sizing = Holdup::Advise::Sizing
  MS = 1_000_000
  START_S = 1_790_000_400
  # name => share of the units, mean ms of holding and idling, acquisitions
  STOREFRONT = {"ProductsController#index" => [0.6, 8, 16, 2],
                "OrdersController#index" => [0.4, 20, 20, 6]}.freeze
  PER_MINUTE = 60

  # A job runner's process with two pools: one for jobs that mostly wait, one for jobs that mostly compute.
  def self.capsules(**options)
    new(kind: :job, shapes: {"MailJob" => [0.8, 2, 48, 6], "ReportJob" => [0.2, 12, 6, 2]},
      pools: {"mail" => [3, %w[MailJob]], "reports" => [2, %w[ReportJob]]}, rate: 30.0, minutes: 6, **options)
  end

  # A web server's process with a job runner in it: jobs that wait little and compute much, next to requests.
  def self.mixed(kind: :request, minutes: 12, swing: 0.0, rates: {request: 20.0, job: 10.0}, **options)
    made = {request: {shapes: STOREFRONT, threads: 5},
            job: {shapes: {"ReportJob" => [1.0, 25, 20, 6]}, threads: 3}}
      .to_h { |each, facts|
      [each,
        new(kind: each, minutes:, swing:, rate: rates.fetch(each), **facts, **options)]
    }
    made.fetch(kind).tap { |one| one.other_kind = made.values.find { |other| other != one } }
  end

  attr_accessor :setting, :kind, :problems, :processes, :threads, :vcpus, :resource_wait_ns, :time_slice_ns,
    :held_per_cpu, :machine_speed, :hosts

  # @param shapes [Hash{String => Array}]
  # @param rate [Float] units per second
  # @param pools [Hash{String => (Integer, Array<String>)}] pools of threads: name => threads and the names of
  #   the units that they take, from a queue of that name
  # @param hosts [Integer] that share the units
  # @param assignment [Symbol] how units come to processes, see Scenario
  # @param truth [Float] by how much longer units hold the GVL in truth than the unit samples say: above 1,
  #   the self-test must see it
  def initialize(shapes: STOREFRONT, rate: 25.0, minutes: 120, processes: 1, threads: 5, vcpus: 2.0,
    kind: :request, seed: 1, truth: 1.0, swing: 0.2, slices: false, growth: 0.0, io_threads: false,
    queue: nil, pools: {}, hosts: 1, assignment: (kind == :job) ? :shared : :random)
    @shapes = shapes
    @rate = rate
    @minutes = minutes
    @processes = processes
    @threads = threads
    @vcpus = vcpus
    @kind = kind
    @truth = truth
    @swing = swing
    @slices = slices
    @growth = growth
    @io_threads = io_threads
    @queue = queue
    @hosts = hosts
    @pools = pools
    @assignment = assignment
    @threads = self.pools.threads if pools.any?
    @random = Random.new(seed)
    @starts = Random.new(seed)
    @problems = []
    @resource_wait_ns = 0
    @machine_speed = Holdup::Analysis::Machine::MachineSpeed.new
    @held_per_cpu = 1.0
    @time_slice_ns = 100 * MS
  end

  attr_writer :measured

  # @return [PlayedRecording, nil] units of the other kind in the same processes
  attr_reader :other_kind

  # @return [Holdup::Advise::Sizing::WaitingBacklog, nil] jobs that wait at its end
  attr_accessor :waiting

  def speed_effect = Sizing::SpeedEffect::NONE

  # Units come independently of each other, as in recordings without counts.
  def arrival_times = ArrivalTimes.new([], kind:)

  # @param other [PlayedRecording]
  def other_kind=(other)
    @other_kind = other
    @threads += other.threads
  end

  # @return [PlayedRecording] the same as one sees it who looks at its own units only
  def alone
    dup.tap do |one|
      one.measured = measured
      one.instance_exec { (@threads -= @other_kind.threads) && @other_kind = nil }
    end
  end

  # @return [Holdup::Advise::Sizing::ConcurrentUnits, nil]
  def concurrent_units
    other_kind && Sizing::ConcurrentUnits.new(other_kind.unit_samples, other_kind.arrivals)
  end

  def slices? = @slices

  def io_threads? = @io_threads

  def threaded? = true

  def hosts_by_minute
    arrivals.transform_values { hosts }
  end

  def warnings = {}

  # No window is stored of them.
  def windows = []

  # Single units here have no waits.
  def busiest(*) = []

  def closed_load = Sizing::ClosedLoad::NONE

  def growth = nil

  def growth_estimate = nil

  def idle_growth = nil

  def growths = {}

  def rest = nil

  # @return [Holdup::Advise::Sizing::ThreadPools]
  def pools
    if other_kind
      threads_by_pool = {pool => threads - other_kind.threads, other_kind.pool => other_kind.threads}
      return Sizing::ThreadPools.new(threads_by_pool, {}, concurrent: 1)
    end
    @pools.empty? ? Sizing::ThreadPools::ONE : Sizing::ThreadPools.new(@pools.transform_values(&:first),
      @pools.keys.to_h { |name| [name, {name => 1}] })
  end

  # @return [String] what a process's only pool is called
  def pool
    (kind == :job) ? "default" : "web"
  end

  def arrivals
    @arrivals ||= Array.new(@minutes) { |minute|
      [START_S / 60 * 60 + minute * 60,
        (@rate * 60 * (1 + @swing * Math.sin(minute / 9.0))).round]
    }.to_h
  end

  def covered = {}

  def units = arrivals.values.sum

  def unit_samples
    @unit_samples ||= arrivals.flat_map { |at_s, count|
      offsets = Array.new([PER_MINUTE, count].min) { @starts.rand(60 * 1_000_000_000) }
      offsets.sort.map { |offset_ns| unit_sample(at_s * 1_000_000_000 + offset_ns, count) }
    }
  end

  def demand
    @demand ||= begin
      held, idle, acquisitions = %i[running_ns idle_ns acquisitions].map { |field| weighted(field) }
      Sizing::ServiceDemand.new(held_ns: held, idle_ns: idle, acquisitions:,
        cost: Sizing::CoherencyCost.new(growth: @growth))
    end
  end

  # What a server would have measured.
  def measured
    @measured ||= begin
      outcome = truth_at(threads:, processes:)
      Sizing::SelfTest::MeasuredFigures.new(
        queued_ns: outcome.mean(:queued),
        stalled_ns: outcome.mean(:stalled),
        handoff_ns: outcome.handoff_ns,
        response_ns: outcome.mean(:response),
        p95_ns: outcome.histogram(:response).quantile(0.95),
        utilisation: outcome.utilisation
      )
    end
  end

  # @return [Holdup::Advise::Sizing::Replay::ReplayResult] of the whole time on another setting
  def truth_at(threads:, processes:)
    traffic = Sizing::Traffic.of(unit_samples, arrivals, pools:, concurrent_units:)
    recorded = traffic.recorded(seed: 99, units: 30_000)
    trace = (@truth == 1) ? recorded : holding_longer(recorded)
    scenario = Sizing::Scenario.of(
      processes:,
      threads:,
      vcpus:,
      other_threads: pools.other_threads,
      cost: Sizing::CoherencyCost.new(growth: @growth),
      assignment: @assignment,
      seed: 7
    )
    Sizing::Replay.call(trace, scenario)
  end

  def limits(**options)
    Sizing::ResourceLimits.new(vcpus:, **options)
  end

  def recommendation(limits: self.limits, **options)
    Sizing::Recommendation.new(self, limits:, rounds: 8, units: 5000, **options)
  end

  private

  # Makes 30,000 units; a trace as it was drawn has packed ones.
  def holding_longer(trace)
    trace.map { |unit| unit.with(held_ns: (unit.held_ns * @truth).round) }
  end

  def weighted(field)
    unit_samples.sum { |unit| unit.public_send(field) * unit.weight } / unit_samples.sum(&:weight)
  end

  def unit_sample(start_ns, count)
    name, (_, held, idle, acquisitions) = draw
    Holdup::UnitSample.new(
      series: series(name),
      setting: nil,
      host: "web-1",
      process: nil,
      start_ns:,
      running_ns: spread(held),
      cpu_ns: spread(held),
      idle_ns: spread(idle),
      stalled_ns: 0,
      acquisitions:,
      longest_hold_ns: 0,
      gc_ns: 0,
      queued_ns: 0,
      in_flight_milli: 1000,
      weight: count.fdiv([PER_MINUTE, count].min)
    )
  end

  def series(name)
    @series ||= {}
    @series[[kind, name]] ||= Holdup::Series.new(kind:, name:, queue: queue(name))
  end

  def queue(name)
    @pools.find { |_, (_, names)| names.include?(name) }&.first || @queue
  end

  def draw
    chosen = @random.rand
    @shapes.find { |_, (share, *)| (chosen -= share) <= 0 } || @shapes.first
  end

  def spread(mean_ms)
    (mean_ms * MS * (0.3 - 0.7 * Math.log(1 - @random.rand))).round
  end
end
