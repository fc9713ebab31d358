# frozen_string_literal: true

require "delegate"
require "holdup/loader"
require_relative "example_units"

# Two arms of an experiment that run at the same time, with a known difference. Their minutes are as unlike
# as those of an application: the load of a minute is like that of the minute before (correlation 0.8,
# deviation 0.25) and hits both arms; each arm has swings of its own (correlation 0.5, deviation 0.03); and
# each endpoint has few units a minute, so that chance moves its figures.
class SimulatedArms
  START_S = 20_000 * 86_400
  # name => units a minute, mean ms. Units are log-normal with sigma 1.
  ENDPOINTS = {"A#fast" => [160, 12], "B#slow" => [80, 60]}.freeze
  ARMS = %i[control candidate].freeze
  SHARED = {correlation: 0.8, deviation: 0.25}.freeze
  OWN = {correlation: 0.5, deviation: 0.03}.freeze
  # Coefficient of variation of a log-normal distribution with sigma 1.
  VARIATION = 1.31
  MS = 1_000_000
  # Of the shape that histograms are moved from.
  MEAN_MS = 33.0
  NORMAL = Random.new(1).then { |random|
    Array.new(4000) { Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand) }
  }.freeze
  # Histograms by number of units, that all instances move.
  SHAPES = {}

  # Computes the levels of a schedule once for all experiments that have it.
  class SharedSchedule < SimpleDelegator
    LEVELS = {}

    def levels(sizes, **options) = LEVELS[[__getobj__, sizes, options]] ||= super
  end

  # @param effect [Float] by how much less time and CPU units of the candidate take: 0.1 for 10 %
  # @param wall_effect [Float] by how much less time, if by another share than CPU
  # @param since [Integer] minute from which the candidate has that effect
  # @param mix [Hash{Symbol => Array<Integer>}] units a minute of each endpoint, by arm
  # @param errors [Hash{Symbol => Integer}] failed units a minute of each endpoint, by arm
  # @param revisions [Hash{Symbol => Proc}] the revision of an arm's minute
  # @param differing [Float] by how much worker 1 of each arm takes longer than worker 0
  # @param threads [Hash{Symbol => Integer}] by arm
  # @param queued_ms [Hash{Symbol => Integer}] by arm; without it queue times are unknown
  # @param singles [Integer] requests of each endpoint and minute that are stored singly, where queue times
  #   are known
  # @param processes [Integer] of each arm that are sampled; those with windows of their own are two
  def initialize(minutes:, seed: 1, effect: 0.0, wall_effect: effect, since: 0, mix: {}, errors: {},
    revisions: {}, differing: 0.0, threads: {}, queued_ms: {}, singles: 20, processes: 2)
    @minutes = minutes
    @random = Random.new(seed)
    @effect = effect
    @wall_effect = wall_effect
    @since = since
    @mix = mix
    @errors = errors
    @revisions = revisions
    @differing = differing
    @threads = threads
    @queued_ms = queued_ms
    @singles = singles
    @processes = processes
    @shared = swings(**SHARED)
    @own = ARMS.to_h { |arm| [arm, swings(**OWN)] }
  end

  def from_s = START_S

  def to_s = START_S + @minutes * 60

  # @return [Holdup::Compare::Side]
  def side(arm, windows = self.windows(arm))
    Holdup::Compare::Side.new(label: "arm #{arm}", windows:,
      unit_samples: unit_samples(arm, windows), from_s:, to_s:)
  end

  def sides = ARMS.map { |arm| side(arm) }

  # @return [Holdup::Experiment::Result]
  def experiment(planned_s: @minutes * 60, looks: nil, **options)
    schedule = Holdup::Experiment::LookSchedule.of(planned_s, looks:)
    Holdup::Experiment::Result.new(*sides, schedule: SharedSchedule.new(schedule), to_s:, **options)
  end

  # @return [Array<Holdup::Window>]
  def windows(arm)
    @windows ||= {}
    @windows[arm] ||= (0...@minutes).flat_map do |minute|
      names.each_with_index.map { |name, index| endpoint(arm, minute, name, index) }
    end
  end

  # One arm after the other on the same processes.
  # @param switchback [Holdup::Switchback]
  # @return [Array<Holdup::Window>]
  def in_turns(switchback)
    control, candidate = ARMS.map { |arm| windows(arm).group_by(&:start_s) }
    control.keys.flat_map do |start_s|
      ((switchback.setting_at(start_s) == :candidate) ? candidate : control).fetch(start_s)
    end
  end

  # @param arm [Symbol]
  # @return [Array<Holdup::Compare::Side>] halves of an arm's processes
  def halves(arm)
    together = series("(processes)")
    workers(arm).map { |windows| side(arm, windows.map { |window| window.with(series: together) }) }
  end

  # Writes both arms, their processes and samples of these.
  # @param store [Holdup::Store::Sql]
  # @return [void]
  def fill(store)
    all = ARMS.flat_map { |arm| [*windows(arm), *workers(arm).flatten] }
    store.commit(all, {}, processes: samples)
  end

  private

  def names = ENDPOINTS.keys

  def series(name, kind: :request) = Holdup::Series.new(kind:, name:)

  def normal = NORMAL[@random.rand(NORMAL.size)]

  def swings(correlation:, deviation:)
    rest = Math.sqrt(1 - correlation**2)
    value = normal
    Array.new(@minutes) do
      value = correlation * value + rest * normal
      deviation * value
    end
  end

  def endpoint(arm, minute, name, index)
    count = @mix.fetch(arm) { ENDPOINTS.values.map(&:first) }[index]
    _, mean_ms = ENDPOINTS[name]
    window(series(name), arm, minute, count:, mean_ms:, errors: @errors.fetch(arm, 0))
  end

  # Two workers, each with half of the units.
  def workers(arm)
    @workers ||= {}
    @workers[arm] ||= 2.times.map do |index|
      process = series("worker #{index} #{arm}", kind: :process)
      mean_ms = 28 * (1 + index * @differing)
      (0...@minutes).map { |minute| window(process, arm, minute, count: 120, mean_ms:) }
    end
  end

  def window(series, arm, minute, count:, mean_ms:, errors: 0)
    own = @own[arm][minute]
    shared = @shared[minute]
    wall_ms = mean_ms * (1 - effect(@wall_effect, arm, minute)) * Math.exp(own + shared + chance(count))
    cpu_ms = mean_ms / 3.0 * (1 - effect(@effect, arm, minute)) * Math.exp(own + 0.2 * shared + chance(count))
    wall = histogram(wall_ms, count)
    stalled = Holdup::Histogram.of_sum(wall.sum / 4)
    empty = Holdup::Window.empty(series:, setting: setting(arm, minute), host: "web-1",
      start_s: START_S + minute * 60, seconds: 60)
    empty.with(count:, errors:, histograms: empty.histograms.merge(wall:, stalled:, **queued(arm, count)),
      sums: empty.sums.merge(cpu_ns: (cpu_ms * MS * count).round))
  end

  def queued(arm, count)
    ms = @queued_ms[arm] or return {}
    {queued: Holdup::Histogram.of(Array.new(count, ms * MS))}
  end

  # As unlike each other as all units of their window.
  def unit_samples(arm, windows)
    queued_ms = @queued_ms[arm] or return []
    random = Random.new(windows.size)
    windows.flat_map do |window|
      Array.new([@singles, window.count].min) do
        wall_ms = window.histograms[:wall].mean / MS * Math.exp(NORMAL[random.rand(NORMAL.size)] - 0.5)
        single(window, wall_ms, queued_ms, random.rand(60_000))
      end
    end
  end

  def single(window, wall_ms, queued_ms, after_ms)
    ExampleUnits.unit_sample((window.start_s - START_S) * 1000 + after_ms, name: window.series.name,
      setting: window.setting, host: window.host, running_ns: 0, cpu_ns: 0, longest_hold_ns: 0, gc_ns: 0,
      stalled_ns: (wall_ms * MS / 4).round, idle_ns: (wall_ms * MS * 3 / 4).round, queued_ns: queued_ms * MS,
      weight: window.count.fdiv([@singles, window.count].min))
  end

  def effect(share, arm, minute)
    (arm == :candidate && minute >= @since) ? share : 0.0
  end

  def chance(count) = normal * VARIATION / Math.sqrt(count)

  # A log-normal distribution with this mean. What lies between two buckets goes to one of them by chance.
  def histogram(mean_ms, count)
    shape = shape(count)
    slots = 16 * Math.log2(mean_ms / MEAN_MS)
    moved = (slots + @random.rand).floor
    scale = 2**(moved / 16.0)
    min, max = [shape.min, shape.max].map { |ns| (ns * scale).round }
    shape.with(offset: shape.offset + moved, sum: (mean_ms * MS * count).round, min:, max:)
  end

  def shape(count)
    SHAPES[count] ||= begin
      deciles = Array.new(count) { |index| (index + 0.5) / count }
      quantile = Holdup::Compare::Estimate::StudentDistribution.method(:normal)
      values = deciles.map { |share| (share < 0.5) ? -quantile.call(1 - share) : quantile.call(share) }
      Holdup::Histogram.of(values.map { |value| (MEAN_MS * Math.exp(value - 0.5) * MS).round })
    end
  end

  def setting(arm, minute)
    revision = @revisions[arm]&.call(minute)
    @settings ||= {}
    @settings[[arm, revision]] ||= Holdup::Setting.new(
      attributes: {"ruby" => "3.4.5", "server" => "puma", "threads" => @threads.fetch(arm, 5),
                   "arm" => arm.to_s, "revision" => revision}.compact
    )
  end

  # Workers that were started an hour before, once a minute.
  def samples
    ARMS.each_with_index.flat_map do |arm, group|
      (0...@minutes).flat_map do |minute|
        @processes.times.map do |index|
          {at_s: START_S + minute * 60, since_s: START_S - 3600, host: "web-1", start: 1,
           pid: 100 * group + index + 1, name: "worker #{index} #{arm}", server: "puma",
           setting: setting(arm, minute).fingerprint}
        end
      end
    end
  end
end
