# frozen_string_literal: true

require "holdup/model/series"
require "holdup/model/setting"
require "holdup/model/window"

# Windows and samples of processes as the collectors of several hosts would write them: each host answers the
# same requests, but for those that differ by intent.
class PlayedFleet
  START_S = 1_790_000_400
  MS = 1_000_000
  WALL_MS = 100
  UNITS_A_MINUTE = 20
  WORKERS = 2
  THREADS = 5

  # @param hosts [Integer] web-1, web-2 ...
  # @param minutes [Integer]
  # @param starved [Hash{String => Float}] share of the elapsed time, by host; others 1 %
  # @param revisions [Hash{String => Hash{Range => String}}] by host and minute; others "1.0"
  # @param setting [Hash{String => Object}] more facts
  # @param ended [Array<String>] hosts without a live process
  def initialize(hosts: 20, minutes: 10, starved: {}, revisions: {}, setting: {}, ended: [], prefix: "web")
    @names = Array.new(hosts) { |index| "#{prefix}-#{index + 1}" }
    @minutes = minutes
    @starved = starved
    @revisions = revisions
    @setting = setting
    @ended = ended
    @random = Random.new(3)
  end

  def from_s = START_S

  def to_s = START_S + @minutes * 60

  # @param store [#commit]
  # @return [#commit]
  def fill(store)
    store.commit(windows, {}, processes: samples)
    store
  end

  # @return [Holdup::Store::Sql]
  def store = fill(Holdup::Store.open("memory:"))

  def units = UNITS_A_MINUTE * @minutes

  private

  def windows
    @names.flat_map { |host| Array.new(@minutes) { |minute| window(host, minute) } }
  end

  def setting(host, minute)
    revision = @revisions.fetch(host, {}).find { |minutes, _| minutes.cover?(minute) }&.last || "1.0"
    Holdup::Setting.new(attributes: {"ruby" => "3.4.7", "server" => "puma", "workers" => WORKERS,
                                     "threads" => THREADS, "revision" => revision, **@setting})
  end

  # Shares differ between hosts by a few per cent, as they do in reality.
  def window(host, minute)
    walls = Array.new(UNITS_A_MINUTE) { (WALL_MS * MS * (0.8 + 0.4 * @random.rand)).round }
    starved_ns = (walls.sum * @starved.fetch(host, 0.01) * (0.95 + 0.1 * @random.rand)).round
    stalled = walls.map { |ns| ns / 50 }
    empty = Holdup::Window.empty(series: Holdup::Series.new(kind: :request, name: "GET /"),
      setting: setting(host, minute), host:, start_s: START_S + minute * 60, seconds: 60)
    values = {wall: walls, stalled:, queued: walls.map { |ns| ns / 20 }}
    histograms = values.transform_values { |some| Holdup::Histogram.of(some) }
    empty.with(count: walls.size, errors: 0, sums: empty.sums.merge(starved_ns:, cpu_ns: walls.sum / 4),
      histograms: empty.histograms.merge(histograms))
  end

  def samples
    (@names - @ended).flat_map do |host|
      Array.new(WORKERS) { |worker| sample(host, worker) }
    end
  end

  def sample(host, worker)
    {at_s: to_s - 30, host:, pid: 100 + worker, start: 1, since_s: START_S - 60, name: "worker #{worker}",
     server: "puma", setting: setting(host, @minutes - 1).fingerprint, "pool.0": "web", "pool.0.max": THREADS,
     "pool.0.busy": 1}
  end
end
