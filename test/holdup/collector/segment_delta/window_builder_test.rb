# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class WindowBuilderTest < Minitest::Test
    WindowBuilder = SegmentDelta::WindowBuilder

    START_S = 1_790_000_040
    SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5"})

    def setup
      @builder = WindowBuilder.new
    end

    def test_nothing_added_gives_no_window
      assert_empty @builder.windows("h")
      assert_empty @builder.paths
    end

    def test_counts_a_request_in_its_series_and_in_its_process
      @builder.add(request("A#b", wall: [5_000, 9_000], errors: 1), source)
      assert_equal [[:request, "A#b"], [:process, "worker 0"]], keys
      @builder.windows("h").each do |window|
        assert_equal 2, window.count, window.series.name
        assert_equal 1, window.errors, window.series.name
        assert_equal 14_000, window.histograms[:wall].sum, window.series.name
      end
    end

    def test_a_window_has_the_minute_the_setting_and_the_host
      @builder.add(request("A#b", wall: [5_000]), source)
      window = @builder.windows("web-1").first
      assert_equal START_S, window.start_s
      assert_equal 60, window.seconds
      assert_equal SETTING, window.setting
      assert_equal "web-1", window.host
    end

    def test_processes_share_the_window_of_a_series
      [0, 1].each { |worker| @builder.add(request("A#b", wall: [5_000]), source(worker:)) }
      assert_equal 2, window("A#b").count
      assert_equal [1, 1], ["worker 0", "worker 1"].map { |name| window(name).count }
    end

    def test_minutes_are_kept_apart
      [0, 60].each { |later_s| @builder.add(request("A#b", wall: [5_000]), source(later_s:)) }
      starts = @builder.windows("h").select { |window| window.series.name == "A#b" }.map(&:start_s)
      assert_equal [START_S, START_S + 60], starts
    end

    def test_settings_are_kept_apart_by_their_facts_alone
      another = Holdup::Setting.new(attributes: {"ruby" => "3.3.8"})
      equal = Holdup::Setting.new(attributes: {"ruby" => "3.4.5"})
      [SETTING, another, equal].each do |setting|
        @builder.add(request("A#b", wall: [5_000]), source(setting:))
      end
      counts = @builder.windows("h").select { |window| window.series.name == "A#b" }
        .to_h { |window| [window.setting["ruby"], window.count] }
      assert_equal({"3.4.5" => 2, "3.3.8" => 1}, counts)
    end

    def test_a_job_counts_once_more_by_pool_and_by_priority
      @builder.add(job(pool: "default", priority: "5"), source)
      assert_equal [[:job, "Mail"], [:process, "worker 0"], [:pool, "default"], [:priority, "5"]], keys
      assert_equal [1, 1, 1, 1], @builder.windows("h").map(&:count)
      assert_equal Holdup::Series.new(kind: :job, name: "Mail", queue: "low"), window("Mail").series
    end

    def test_jobs_of_two_pools_are_one_series
      %w[default slow].each { |pool| @builder.add(job(pool:), source) }
      assert_equal 2, window("Mail").count
      assert_equal [1, 1], %w[default slow].map { |pool| window(pool).count }
    end

    def test_calls_count_neither_as_requests_nor_in_their_process
      calls = Holdup::Series.new(kind: :call, name: "A#b", queue: "sql primary")
      @builder.add(request("A#b", wall: [5_000]), source)
      @builder.add(delta(calls, count: 2, wall: [1_000, 2_000]), source)
      counts = @builder.windows("h").to_h { |window| [window.series.kind, window.count] }
      assert_equal({request: 1, process: 1, call: 2}, counts)
    end

    def test_methods_count_neither_as_requests_nor_in_their_process
      methods = Holdup::Series.new(kind: :method, name: "A#b", queue: "app/a.rb:1 A#b")
      @builder.add(request("A#b", wall: [5_000]), source)
      @builder.add(delta(methods, count: 2, sums: {caused_ns: 7}), source)
      sums = @builder.windows("h").to_h do |window|
        [window.series.kind, [window.count, window.sums[:caused_ns]]]
      end
      assert_equal [2, 7], sums[:method]
      assert_equal [1, 1], [sums[:request].first, sums[:process].first]
      assert_equal 0, sums[:process].last
    end

    def test_an_account_does_not_count_in_its_process
      account = Holdup::Series.new(kind: :account, name: "main")
      @builder.add(delta(account, sums: {caused_ns: 7}), source)
      assert_equal [[:account, "main"]], keys
      assert_equal 7, window("main").sums[:caused_ns]
    end

    def test_nested_units_take_their_time_off_the_process_but_not_their_number
      nested = Holdup::Series.new(kind: :nested, name: "(nested)")
      @builder.add(request("A#b", wall: [100_000], sums: {cpu_ns: 90}), source)
      @builder.add(request("B#c", wall: [40_000], sums: {cpu_ns: 30}), source)
      @builder.add(delta(nested, count: 1, wall: [40_000], sums: {cpu_ns: 30}), source)
      process = window("worker 0")
      assert_equal 2, process.count
      assert_equal 100_000, process.histograms[:wall].sum
      assert_equal 90, process.sums[:cpu_ns]
      assert_equal 2, process.histograms[:wall].count
      assert_equal 40_000, window("(nested)").histograms[:wall].sum
    end

    def test_the_overflow_counts_in_its_process
      @builder.add(delta(Holdup::Series.new(kind: :overflow, name: "(others)"), count: 3), source)
      assert_equal 3, window("worker 0").count
    end

    def test_the_handoff_of_all_processes_is_one_account_without_units
      [0, 1].each { |worker| @builder.add_handoff(50, source(worker:)) }
      assert_equal [[:account, Holdup::Series::HANDOFF.name]], keys
      handoff = window(Holdup::Series::HANDOFF.name)
      assert_equal 100, handoff.sums[:caused_ns]
      assert_equal 0, handoff.count
    end

    def test_keeps_the_last_path_of_each_series
      [["A#b", "/a/1"], ["B#c", "/b"], ["A#b", "/a/2"], ["A#b", nil]].each do |name, path|
        @builder.add(request(name, wall: [5_000], path:), source)
      end
      assert_equal({"A#b" => "/a/2", "B#c" => "/b"}, @builder.paths.transform_keys(&:name))
    end

    def test_pairs_add_up_and_the_weakest_holders_are_counted_together
      20.times { |number| @builder.add_pair(pair("A#b", "H#{number}", 10 + number), source) }
      @builder.add_pair(pair("A#b", "H3", 100), source(worker: 1))
      @builder.add_pair(pair("A#b", "(nobody)", 1), source)
      @builder.add_pair(pair("B#c", "A#b", 4), source)
      found = @builder.windows("h").group_by { |window| window.series.name }
      of_a = found.fetch("A#b").to_h { |window| [window.series.queue, window.stalled_ns] }
      assert_equal 18, of_a.size
      assert_equal [113, 1, 10 + 11 + 12 + 14], of_a.values_at("H3", "(nobody)", "(others)")
      assert_equal [["A#b", 4]], found.fetch("B#c").map { |window| [window.series.queue, window.stalled_ns] }
      assert_equal [0, 0], [found.fetch("B#c").first.count, found.fetch("B#c").first.histograms[:wall].count]
    end

    def test_the_order_of_the_changes_does_not_matter
      random = Random.new(7)
      changes = Array.new(60) do
        values = Array.new(random.rand(1..4)) { random.rand(1..90_000_000) }
        [request(%w[A#b B#c].sample(random:), wall: values), source(worker: random.rand(2))]
      end
      first, second = [changes, changes.shuffle(random:)].map do |ordered|
        builder = WindowBuilder.new
        ordered.each { |change, source| builder.add(change, source) }
        builder.windows("h").to_h { |window| [window.series, window] }
      end
      assert_equal first, second
    end

    private

    def pair(victim, holder, ns)
      PairDelta.new(series: Holdup::Series.new(kind: :pair, name: victim, queue: holder), ns:)
    end

    def source(worker: 0, setting: SETTING, later_s: 0)
      process = Holdup::Series.new(kind: :process, name: "worker #{worker}")
      WindowBuilder::DeltaSource.new(process:, setting:, pid: 7 + worker, start_s: START_S + later_s)
    end

    def request(name, wall:, **rest)
      delta(Holdup::Series.new(kind: :request, name:), count: wall.size, wall:, **rest)
    end

    def job(**rest)
      delta(Holdup::Series.new(kind: :job, name: "Mail", queue: "low", **rest), count: 1, wall: [9_000])
    end

    def delta(series, **numbers)
      SlotDelta.between(SegmentSlots.slot(series, **numbers), nil)
    end

    def keys
      @builder.windows("h").map { |window| [window.series.kind, window.series.name] }
    end

    def window(name)
      @builder.windows("h").find { |window| window.series.name == name }
    end
  end
end
