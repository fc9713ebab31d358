# frozen_string_literal: true

require "holdup/model/series"
require "holdup/model/setting"
require "holdup/model/window"

# Windows as a collector would write them, for tests of the analysis and the reports: every invariant of the
# probe holds (wall is the sum of the seven states; caused and hand-off are together what was stalled).
class SampleWindows
  START_S = 1_790_000_040
  # name => milliseconds per unit in each state, GVL acquisitions, units per minute, share of the blame, error
  # every n
  STOREFRONT = {
    "ProductsController#index" => {ms: {cpu: 4, stalled: 18, io: 2}, acquisitions: 6, units: 300, blame: 8},
    "OrdersController#index" => {ms: {cpu: 22, starved: 2, stalled: 60, io: 14}, acquisitions: 82,
                                 units: 100, blame: 12},
    "ReportsController#sales" => {ms: {cpu: 55, starved: 3, stalled: 12, io: 1}, acquisitions: 5, units: 80,
                                  blame: 71},
    "QuotesController#show" => {ms: {cpu: 2, stalled: 9, io: 45}, acquisitions: 7, units: 90, blame: 2},
    "CartsController#update" => {ms: {cpu: 2, stalled: 6, lock: 38, io: 4}, acquisitions: 9, units: 60,
                                 blame: 1},
    "InventoryController#show" => {ms: {cpu: 2, stalled: 5, sleep: 40}, acquisitions: 8, units: 50, blame: 1},
    "ExportsController#create" => {ms: {cpu: 3, stalled: 4, native: 90}, acquisitions: 4, units: 20,
                                   blame: 2},
    "CheckoutsController#create" => {ms: {cpu: 5, stalled: 6, io: 6}, acquisitions: 9, units: 40, blame: 2,
                                     error_every: 4}
  }.freeze
  MS = 1_000_000
  SETTING = {"ruby" => "3.4.5", "jit" => "yjit", "threads" => 5, "workers" => 2,
             "server" => "puma 8.0.2"}.freeze

  # @param units [Hash] like STOREFRONT
  # @param minutes [Integer]
  # @param seed [Integer]
  # @param handoff [Float] share of the stall while no thread held the GVL
  # @param kind [Symbol]
  # @param queue [String, nil]
  def initialize(units: STOREFRONT, minutes: 3, seed: 1, handoff: 0.01, accounts: {"main" => 0.01},
    kind: :request, queue: nil, setting: SETTING)
    @units = units
    @minutes = minutes
    @random = Random.new(seed)
    @handoff = handoff
    @accounts = accounts
    @kind = kind
    @queue = queue
    @setting = Holdup::Setting.new(attributes: setting)
  end

  # @return [Array<Holdup::Window>]
  def to_a
    @all ||= (0...@minutes).flat_map { |minute| minute(START_S + minute * 60) }
  end

  # Who waited while whom held the GVL: each waited for all in proportion to what they caused.
  # @return [Array<Holdup::Window>] of kind :pair
  def pairs
    to_a.group_by(&:start_s).flat_map do |start_s, windows|
      caused = windows.to_h { |one| [one.series.name, one.sums[:caused_ns]] }
      caused["(nobody)"] = caused.delete("(handoff)")
      windows.flat_map { |one| pairs_of(one, caused, start_s) }
    end
  end

  # What a collector stores.
  def stored = [*to_a, *pairs]

  def from_s = START_S

  def to_s = START_S + @minutes * 60

  # One window by hand.
  # @param histograms [Hash{Symbol => Holdup::Histogram}]
  # @param sums [Hash{Symbol => Integer}]
  def window(name, kind: @kind, queue: @queue, start_s: START_S, count: 0, errors: 0, sums: {},
    histograms: {}, setting: @setting)
    series = Holdup::Series.new(kind:, name:, queue:)
    empty = Holdup::Window.empty(series:, setting:, host: "web-1", start_s:, seconds: 60)
    empty.with(count:, errors:, sums: empty.sums.merge(sums), histograms: empty.histograms.merge(histograms))
  end

  private

  def minute(start_s)
    drawn = @units.to_h { |name, shape| [name, Array.new(shape[:units]) { draw(shape) }] }
    stalled = drawn.values.flatten.sum { |unit| unit[:stalled] }
    suffered = @accounts.transform_values { |share| (stalled * share).round }
    blame = blame(stalled + suffered.values.sum)
    drawn.map { |name, units| unit_window(name, units, blame[name], start_s) } +
      suffered.map { |name, ns| account(name, ns, blame[name], start_s) } +
      [window("(handoff)", kind: :account, queue: nil, start_s:, sums: {caused_ns: blame["(handoff)"]})]
  end

  # As many holders as a collector keeps of each victim.
  def pairs_of(victim, caused, start_s)
    all = caused.values.sum
    ordered = caused.sort_by { |_, ns| -ns }
    most = ordered.first(Holdup::Collector::SegmentDelta::WindowBuilder::MOST_HOLDERS)
    others = ordered.drop(most.size).sum(&:last)
    [*most, ["(others)", others]].filter_map do |causer, ns|
      stalled = Holdup::Histogram.of_sum(victim.stalled_ns * ns / all)
      next if stalled.sum.zero?
      window(victim.series.name, kind: :pair, queue: causer, start_s:, histograms: {stalled:})
    end
  end

  # Elapsed times in reality are skewed: each state of each unit is its mean times an exponential-like factor.
  def draw(shape)
    shape[:ms].to_h { |state, ms|
      [state,
        (ms * MS * (0.3 - 0.7 * Math.log(1 - @random.rand))).round]
    }.tap { |unit|
      unit.default = 0
    }
  end

  # Splits the stall by the shares so that nothing is left over.
  def blame(stalled)
    weights = @units.transform_values { |shape| shape[:blame] }.merge(@accounts.transform_values { 1 })
    rest = stalled - (stalled * @handoff).round
    parts = weights.transform_values { |weight| rest * weight / weights.values.sum }
    parts.merge("(handoff)" => stalled - parts.values.sum)
  end

  def unit_window(name, units, caused, start_s)
    shape = @units[name]
    every = shape[:error_every]
    totals = sums(units).merge(
      caused_ns: caused,
      acquisitions: shape[:acquisitions] * units.size,
      gc_ns: sum(units, :cpu) / 12,
      preemptions: units.size / 9
    )
    errors = every ? units.size / every : 0
    window(name, start_s:, count: units.size, errors:, histograms: histograms(units), sums: totals)
  end

  def sums(units)
    %i[cpu starved io lock sleep native].to_h { |state| [:"#{state}_ns", sum(units, state)] }
  end

  def sum(units, *states)
    units.sum { |unit| states.sum { |state| unit[state] } }
  end

  def histograms(units)
    running = units.map { |unit| unit[:cpu] + unit[:starved] }
    idle = units.map { |unit| unit[:io] + unit[:lock] + unit[:sleep] + unit[:native] }
    stalled = units.map { |unit| unit[:stalled] }
    wall = [running, stalled, idle].transpose.map(&:sum)
    {wall:, running:, stalled:, idle:, queued: wall.map { |ns| ns / 20 },
     longest_hold: running.map { |ns| ns / 2 }}
      .transform_values { |values|
      Holdup::Histogram.of(values)
    }
  end

  def account(name, suffered, caused, start_s)
    running = Holdup::Histogram.of_sum(50 * MS)
    window(name, kind: :account, queue: nil, start_s:, sums: {caused_ns: caused, acquisitions: 20},
      histograms: {stalled: Holdup::Histogram.of_sum(suffered), running:})
  end
end
