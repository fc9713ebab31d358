# frozen_string_literal: true

require "holdup/model/collector_checkpoint"
require "holdup/model/prediction_outcome"
require "holdup/model/series"
require "holdup/model/setting"
require "holdup/model/audit_entry"
require "holdup/model/autopsy"
require "holdup/model/recent_figures"
require "holdup/model/recent_figures/codec"
require "holdup/model/window"
require "support/example_units"

# What every store promises. Include it and define `new_store`; each test gets a store of its own.
module StoreContract
  include ExampleUnits

  MINUTE = 60
  DAY = 86_400
  START = 20_000 * DAY
  SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5", "threads" => 5})
  OTHER = Holdup::Setting.new(attributes: {"ruby" => "3.3.8", "threads" => 5})

  Named = Data.define(:name) do
    def series?(series) = series.name == name
  end

  def setup
    super
    @store = new_store
  end

  def teardown
    @store.close
    super
  end

  def test_deltas_of_one_minute_are_added_to_one_row
    3.times { |i| @store.commit([window(values: [5_000 * (i + 1)])], {}) }

    found = @store.windows(START, START + MINUTE).to_a
    assert_equal [window(values: [5_000, 10_000, 15_000])], found
  end

  def test_everything_of_a_window_comes_back
    job = window(series: Holdup::Series.new(kind: :job, name: "ReportJob", queue: "low"),
      values: [1, 2_000, 1 << 50])
    account = Holdup::Window.empty(series: Holdup::Series.new(kind: :account, name: "thread:worker"),
      setting: SETTING, host: "a", start_s: START, seconds: 60)
    account = account.with(histograms: account.histograms.merge(stalled: Holdup::Histogram.of_sum(77)),
      sums: account.sums.merge(caused_ns: 1 << 60))
    @store.commit([job, account], {})

    assert_equal [job, account].to_set, @store.windows(START, START + MINUTE).to_set
  end

  # Through the roll-up, apart from the requests of the same name.
  def test_calls_are_windows_of_their_own
    calls = window(series: Holdup::Series.new(kind: :call, name: "A", queue: "sql primary"), values: [7_000])
    sums = calls.sums.merge(gc_ns: 5, io_ns: 3_000, acquisitions: 2)
    calls = calls.with(sums:, histograms: calls.histograms.merge(running: Holdup::Histogram.of_sum(77)))
    @store.commit([window, calls, calls.with(start_s: START + MINUTE)], {})
    @store.rollup(START + 2 * DAY)

    found = @store.sums(START, START + 300, kinds: [:call], seconds: 300).map(&:window)
    both = calls.merge(calls.with(start_s: START + MINUTE))
    assert_equal [[both.count, both.sums, both.histograms]],
      found.map { |sum| [sum.count, sum.sums, sum.histograms] }
    assert_equal window.count, @store.windows(START, START + DAY, kinds: [:request]).sum(&:count)
  end

  # Their places are longer than names of queues, and differ only in a line or in case.
  def test_methods_are_windows_of_their_own
    place = "app/#{"models/" * 40}sales_report.rb:41 SalesReport#rows | #{"Array#sort_by" * 5}"
    places = [place, place.sub(":41", ":42"), place.sub("Array", "array")]
    methods = places.map { |queue| Holdup::Series.new(kind: :method, name: "A", queue:) }
    windows = methods.map do |series|
      made = window(series:, values: [])
      made.with(count: 3, sums: made.sums.merge(caused_ns: 30_000_000))
    end
    @store.commit([window, *windows], {})

    found = @store.sums(START, START + MINUTE, kinds: [:method]).map(&:window)
    assert_equal methods.to_set, found.map(&:series).to_set
    assert_equal [[3, 30_000_000]], found.map { |sum| [sum.count, sum.sums[:caused_ns]] }.uniq
    assert_equal window.count, @store.windows(START, START + DAY, kinds: [:request]).sum(&:count)
  end

  # Who waited for whom, for the GVL, for connections of a pool and for locks, also after a roll-up.
  def test_pairs_of_each_kind_are_windows_of_their_own
    kinds = %i[pair pool_pair lock_pair]
    pairs = kinds.map { |kind| Holdup::Series.new(kind:, name: "A", queue: "ReplenishJob") }
    locks = pairs.last
    lock_windows = [40, 2].map { |ns| pair_window(locks, lock_ns: ns) }
    pool_windows = [[pairs.first, 7], [pairs[1], 7], [pairs[1], 5]].map do |pair, ns|
      pair_window(pair, pool_wait_ns: ns)
    end
    @store.commit([*pool_windows.first(2), lock_windows.first], {})
    @store.commit([pool_windows.last, lock_windows.last], {})
    @store.rollup(START + 2 * DAY)
    pools, ended = %i[pool_pair lock_pair].map { |kind| @store.sums(START, START + DAY, kinds: [kind]) }
    assert_equal [[pairs[1], 12]], pools.map { |sum| [sum.window.series, sum.window.pool_wait_ns] }
    assert_equal [[locks, 42]], ended.map { |sum| [sum.window.series, sum.window.sums[:lock_ns]] }
    assert_equal [pairs.first], @store.windows(START, START + MINUTE, kinds: [:pair]).map(&:series)
  end

  def test_series_settings_hosts_and_minutes_are_kept_apart
    windows = [window, window(series: series("B")), window(setting: OTHER), window(host: "b"),
      window(start_s: START + MINUTE)]
    @store.commit(windows, {})

    assert_equal windows.to_set, @store.windows(START, START + DAY).to_set
    assert_equal [SETTING, OTHER].to_set, @store.settings.to_set
  end

  def test_progress_is_binary_replaced_and_deleted
    @store.commit([], {"1-2.segment" => "\x00\xFF\x80".b, "3-4.segment" => "old"})
    @store.commit([], {"3-4.segment" => "new"})
    assert_equal({"1-2.segment" => "\x00\xFF\x80".b, "3-4.segment" => "new".b}, @store.checkpoints)

    @store.commit([], {"1-2.segment" => nil})
    assert_equal ["3-4.segment"], @store.checkpoints.keys
  end

  # What was read from a file may be of binary encoding, and a long checkpoint is written by itself.
  def test_replaces_a_checkpoint_whose_name_is_of_another_encoding
    names = ["a segments/t", "a segments/t".b, "a segments/t".encode(Encoding::US_ASCII)]
    names.cycle(2).each_with_index do |name, turn|
      state = turn.to_s.b * 5_000
      @store.commit([], {name => state})
      assert_equal({"a segments/t" => state}, @store.checkpoints(host: "a"))
    end
  end

  # A collector that goes on from what is no longer stored would count again.
  def test_commits_nothing_when_a_checkpoint_is_another_than_expected
    @store.checkpoints(host: "a")
    @store.commit([window], {"a segments/t" => "1"}, expected: {"a segments/t" => nil})
    [nil, "2"].each do |state|
      error = assert_raises(Holdup::StoreError::Overtaken) do
        @store.commit([window], {"a segments/t" => "2"}, expected: {"a segments/t" => state})
      end
      assert_match(/written to for the same segments by another collector; try again/, error.message)
      assert_equal "1", @store.checkpoints(host: "a")["a segments/t"]
    end
    @store.commit([window], {"a segments/t" => "\xFF".b}, expected: {"a segments/t" => "1"})
    @store.commit([window], {"a segments/t" => "3"}, expected: {"a segments/t" => "\xFF".b})
    assert_equal 3 * window.count, @store.windows(START, START + DAY).sum(&:count)
  end

  # A segment that moved from one folder to another goes on from the checkpoint of the first: a collector of
  # either that comes too late can't commit.
  def test_a_commit_may_go_on_from_the_checkpoints_of_two_folders
    @store.checkpoints(host: "a")
    @store.commit([window], {"a segments/t" => "1", "a segments/s" => "9"}, expected: {"a segments/t" => nil})
    %w[a b].each { |folder| @store.checkpoints(host: folder) }
    changes = {"b segments/s" => "9", "b segments/t" => "1", "a segments/s" => "0", "a segments/t" => "2"}
    @store.commit([window], changes, expected: {"a segments/t" => "1", "b segments/t" => nil})
    assert_equal changes, %w[a b].inject({}) { |all, folder| all.merge(@store.checkpoints(host: folder)) }
    assert_raises(Holdup::StoreError::Locked) do
      @store.commit([window], {"a segments/t" => "3"}, expected: {"a segments/t" => "1"})
    end
    assert_equal 2 * window.count, @store.windows(START, START + DAY).sum(&:count)
  end

  def test_keeps_the_latest_path_of_each_series
    assert_empty @store.paths
    @store.commit([window, window(series: series("B"))], {},
      paths: {series("A") => "/orders/7", series("C") => "/c"})
    @store.commit([window], {}, paths: {series("A") => "/orders/8"})
    assert_equal({series("A") => "/orders/8", series("C") => "/c"}, @store.paths)
    assert_equal [series("A"), series("B")], @store.windows(START, START + MINUTE).map(&:series).uniq
  end

  def test_names_in_any_script
    job = Holdup::Series.new(kind: :job, name: "日本語のジョブ🍣", queue: "優先")
    setting = Holdup::Setting.new(attributes: {"app" => "店舗"})
    sample = {at_s: START, host: "ホスト", pid: 7, name: "worker 0", "pool.0": "プール"}
    own = [unit_sample(0, name: "日本語", setting:, host: "ホスト")]
    @store.commit(
      [window(series: job, setting:, host: "ホスト")], {"h /tmp/日本/1-2.segment" => "\xFF".b},
      processes: [sample], unit_samples: [block(own, setting:, host: "ホスト")], paths: {job => "/order"},
      skipped: [skipped(name: "日本語")]
    )

    assert_equal [job], @store.windows(START, START + MINUTE).map(&:series)
    assert_equal ["日本語のジョブ🍣"], names(names: "日本語*", queues: "優?")
    assert_equal ["日本語"], @store.unit_samples(START, START + MINUTE).map { |one| one.series.name }
    assert_equal "プール", @store.processes(START, START + MINUTE).first[:"pool.0"]
    assert_equal ["h /tmp/日本/1-2.segment"], @store.checkpoints.keys
    assert_equal({job => "/order"}, @store.paths)
    assert_equal ["日本語"], @store.skipped_rows.map(&:name)
  end

  def test_with_a_block_bad_rows_are_left_out_and_the_rest_is_written
    bad = [window(start_s: START + 1), window(host: nil), window.with(errors: 1 << 63), {host: "a", pid: 1}]
    given = []
    @store.commit([window, *bad.first(3)], {"s" => "x"},
      processes: [{at_s: START, host: "a", pid: 7}, bad.last], unit_samples: [block(many(3))]) do |row, error|
      given << row
      skipped(name: error.class.name)
    end

    assert_equal bad, given
    assert_equal [window], @store.windows(START, START + DAY).to_a
    assert_equal [7], @store.processes(START, START + DAY).map { |one| one[:pid] }
    assert_equal 3, @store.unit_samples(START, START + DAY).count
    assert_equal({"s" => "x".b}, @store.checkpoints)
    assert_equal 4, @store.skipped_rows.sum(&:count)
  end

  def test_keeps_the_checkpoint_of_each_collector
    facts = [["a", "/x", 5, {"1-2.segment" => 7}], ["a", "/日本", 9, {}], ["b", "/x", 7, {}]]
    checkpoints = facts.map do |host, folder, at_s, units|
      Holdup::CollectorCheckpoint.new(host:, folder:, at_ns: (START + at_s) * 1_000_000_000, units:)
    end
    checkpoints.each { |one| @store.commit([], {}, collector_checkpoint: one) }
    later = checkpoints.first.with(at_ns: (START + 20) * 1_000_000_000, units: {"1-2.segment" => 9})
    @store.commit([window], {}, collector_checkpoint: later)
    assert_equal [later, *checkpoints.drop(1)], @store.collector_checkpoints
    assert_raises(ArgumentError) do
      @store.commit([window(host: nil)], {}, collector_checkpoint: checkpoints.first)
    end
    assert_equal later, @store.collector_checkpoints.first

    @store.prune(START + 14 * DAY + 8, max_bytes: 1 << 30)
    assert_equal ["/x", "/日本"], @store.collector_checkpoints.map(&:folder)
  end

  def test_keeps_the_last_round_of_a_collector_until_the_next_one
    units = [{kind: :job, name: "速い \"J\"", state: nil, started_ns: 1 << 60}]
    lost = autopsy(0, units:, server: "puma",
      gvl: {holder_thread: 7, holder_name: nil}, reason: :lost, last_round_ns: START * 1_000_000_000)
    first = Holdup::CollectorCheckpoint.new(host: "a", folder: "/x", at_ns: START * 1_000_000_000,
      units: {"1-2.segment" => 7}, last_round: [lost, autopsy(1)])
    @store.commit([], {}, collector_checkpoint: first)
    assert_equal [first], @store.collector_checkpoints
    second = first.with(at_ns: (START + 10) * 1_000_000_000, last_round: [])
    @store.commit([], {}, collector_checkpoint: second)
    assert_equal [second], @store.collector_checkpoints
  end

  # MySQL's text has room for 64 kB.
  def test_a_last_round_may_be_long
    units = Array.new(100) { |number| {kind: :request, name: "A#{number} " + "b" * 900, started_ns: number} }
    checkpoint = Holdup::CollectorCheckpoint.new(host: "a", folder: "/x", at_ns: START * 1_000_000_000,
      units: {}, last_round: [autopsy(0, units: units.map { |unit| {**unit, state: nil} })])
    @store.commit([], {}, collector_checkpoint: checkpoint)
    assert_equal [checkpoint], @store.collector_checkpoints
  end

  # Of a pod that is gone. Its token stays for a while, in case that it comes back.
  def test_deletes_the_checkpoints_of_a_folder_that_was_silent_for_two_weeks
    gone, there = %w[0123456789abcdef 0123456789abcdee]
    carry(gone, at_s: START)
    carry(there, at_s: START + 10)
    carry(there, at_s: START, path: "/earlier")
    2.times { @store.prune(START + 14 * DAY + 5, max_bytes: 1 << 30) }

    kept = @store.checkpoints
    assert_equal checkpoints(there), kept.slice(*checkpoints(there).keys)
    assert_equal ["#{gone} segments/#token"], kept.keys - checkpoints(there).keys
    assert_equal "3 abc pruned #{START + 14 * DAY + 5}", kept["#{gone} segments/#token"]
  end

  def test_writes_nothing_when_no_window_can_be_written
    bad = [window(start_s: START + 1), window(host: nil)]
    assert_raises(StandardError) do
      @store.commit(bad, {"s" => "x"}, processes: [{at_s: START, host: "a", pid: 7}]) { flunk }
    end

    assert_empty @store.checkpoints
    assert_empty @store.processes(START, START + DAY)
  end

  def test_rows_that_were_left_out_are_added_up_for_two_weeks
    old = skipped(name: "old", at_s: START - 15 * DAY)
    @store.commit([], {}, skipped: [old, skipped(name: "A"), skipped(name: "A", reason: "other", count: 2)])
    @store.commit([], {}, skipped: [skipped(name: "B", at_s: START + 5), skipped(name: "A", kind: :window)])

    assert_equal %w[B A A old], @store.skipped_rows.map(&:name)
    row = @store.skipped_rows.find { |one| one.name == "A" && one.kind == :series }
    assert_equal "other", row.reason
    assert_equal 3, row.count
    @store.prune(START, max_bytes: 1 << 30)
    assert_equal %w[B A A], @store.skipped_rows.map(&:name)
  end

  def test_refuses_windows_that_are_not_whole_minutes
    [window(start_s: START + 1), window.with(seconds: 300), window.with(setting: nil),
      window.with(host: nil)].each do |bad|
      assert_raises(ArgumentError) { @store.commit([window, bad], {"s" => "x"}) }
    end

    assert_empty @store.windows(START, START + DAY).to_a
    assert_empty @store.checkpoints
  end

  def test_the_end_of_a_span_is_outside_of_it
    @store.commit([0, 1, 2].map { |i| window(start_s: START + i * MINUTE) }, {})

    assert_equal [START + MINUTE], @store.windows(START + MINUTE, START + 2 * MINUTE).map(&:start_s)
    assert_empty @store.windows(START, START).to_a
  end

  def test_kinds_names_and_queues_select
    all = [series("OrdersController#index"), series("GET /orders"),
      Holdup::Series.new(kind: :job, name: "Admin::ReportJob", queue: "low")]
    @store.commit(all.map { |one| window(series: one) }, {})

    assert_equal ["Admin::ReportJob"], names(kinds: [:job])
    assert_equal ["OrdersController#index"], names(names: "Orders*")
    assert_equal ["Admin::ReportJob", "GET /orders"], names(names: ["GET *", "*Job"])
    assert_equal ["Admin::ReportJob"], names(queues: "l?w")
    assert_empty names(names: "nothing")
    assert_equal 3, names.size
  end

  def test_roll_up_keeps_the_totals
    commit_minutes(0...(26 * 60))
    before = total(START, START + 2 * DAY)
    assert_operator @store.rollup(START + 2 * DAY), :>, 0

    assert_equal before, total(START, START + 2 * DAY)
    assert_equal 0, @store.rollup(START + 2 * DAY)
    assert_equal [DAY, 3600, 3600], @store.windows(START, START + 2 * DAY).map(&:seconds)
    assert_equal [300] * 12, @store.windows(START, START + 3600, seconds: 300).map(&:seconds)
  end

  def test_reads_each_minute_once_before_and_after_a_roll_up
    commit_minutes(0...(26 * 60))
    @store.rollup(START + 25 * 3600 + 700)
    random = Random.new(3)
    40.times do
      from, to = Array.new(2) { random.rand(0..(26 * 60)) }.sort

      assert_equal (from...to).to_a, minutes_in(START + from * MINUTE, START + to * MINUTE),
        "minutes #{from}...#{to}"
    end
  end

  def test_what_comes_late_is_added_to_windows_that_were_already_rolled_up
    commit_minutes(0...(24 * 60))
    @store.rollup(START + 2 * DAY)
    @store.commit([window(start_s: START + 90 * MINUTE, values: [1 << 40])], {})
    @store.rollup(START + 2 * DAY)

    [nil, 3600, 300, 60].each do |seconds|
      assert_equal 24 * 60 + 1, count(START, START + DAY, seconds:), "at #{seconds}"
    end
  end

  def test_old_minutes_go_and_the_coarser_windows_answer_for_them
    commit_minutes(0...(24 * 60))
    now = START + 4 * DAY
    @store.rollup(now)
    assert_equal 24 * 60, @store.prune(now, max_bytes: 1 << 30)

    assert_equal [300], @store.windows(START, START + 3600, seconds: 60).map(&:seconds).uniq
    assert_equal 24 * 60, count(START, START + DAY)
    @store.commit([window(start_s: START + 90 * MINUTE)], {})
    assert_equal 24 * 60 + 1, count(START, START + DAY, seconds: 60)
  end

  def test_the_ends_of_a_span_are_widened_where_only_long_windows_are_left
    commit_minutes(0...(3 * 60))
    now = START + 20 * DAY
    @store.rollup(now)
    @store.prune(now, max_bytes: 1 << 30)

    assert_equal [[START + 3600, 3600]],
      @store.windows(START + 70 * MINUTE,
        START + 80 * MINUTE).map { |window| [window.start_s, window.seconds] }
    assert_equal 180, count(START + 5 * MINUTE, START + 175 * MINUTE)
  end

  def test_nothing_that_was_not_rolled_up_is_pruned_by_age_or_size
    commit_minutes(0...10)

    assert_equal 0, @store.prune(START + 900 * DAY, max_bytes: 1)
    assert_equal 10, count(START, START + DAY)
  end

  def test_above_its_size_the_oldest_of_the_finest_goes_first
    commit_minutes(0...(24 * 60))
    @store.rollup(START + DAY + 300)
    bytes = @store.health[:bytes]
    @store.prune(START + DAY + 300, max_bytes: bytes - bytes / 4)

    assert_operator @store.health[:bytes], :<=, bytes - bytes / 4
    assert_equal 24 * 60, count(START, START + DAY)
    assert_equal 300, @store.windows(START, START + 3600, seconds: 60).first.seconds
    assert_equal 60, @store.windows(START + 23 * 3600, START + DAY, seconds: 60).first.seconds
  end

  def test_what_is_older_than_every_tier_is_gone
    commit_minutes(0...5)
    now = START + 402 * DAY
    @store.rollup(now)
    @store.prune(now, max_bytes: 1 << 30)

    assert_empty @store.windows(START, now).to_a
  end

  # The database's shorter way gives the same as its windows, whatever was rolled up.
  def test_sums_are_the_windows_added_up
    random = Random.new(5)
    @store.commit(mixed_windows(random), {})
    @store.rollup(START + 25 * 3600 + 700)
    late = mixed_windows(random).first(60).map { |one| one.with(host: %w[b c].sample(random:)) }
    2.times { @store.commit(late, {}) }
    [[0, 26 * 60], *Array.new(2) { Array.new(2) { random.rand(0..(26 * 60)) }.sort }].each do |minutes|
      span = minutes.map { |minute| START + minute * MINUTE }
      together = series("(all)")
      [
        {}, {step_s: 3600}, {together:}, {step_s: 60, seconds: 3600}, {names: "B*"}, {only: Named.new("B")},
        {settings: [OTHER]}, {settings: []},
        {step_s: 7200, together:, kinds: [:job], histograms: %i[wall stalled]},
        {step_s: 7200, together:, histograms: %i[wall], heads: %i[queued stalled]},
        {step_s: 7200, together:, apart: :name, numbers: []}, {together:, apart: :queue, numbers: %i[gc_ns]},
        {step_s: 3600, together:, apart: :name, names: "B", kinds: %i[request job], histograms: []},
        {apart: :name, numbers: %i[caused_ns gc_ns], histograms: [], heads: %i[wall]},
        {by_host: true}, {by_host: true, together:, step_s: 7200}, {hosts: ["b"], together:}, {hosts: []}
      ].each do |options|
        assert_equal plainly_summed(span, **options), @store.sums(*span, **options).to_set,
          "#{span} #{options}"
      end
    end
  end

  # Beside those of requests, before and after a roll-up.
  def test_sums_of_pairs_are_their_windows_added_up
    pairs, late = commit_mixed_pairs(Random.new(6))
    waited = [*pairs, *late].group_by(&:series).transform_values { |same| same.sum(&:pair_ns) }
    found = @store.sums(START, START + 26 * 3600, kinds: Holdup::Series::PAIRS).map(&:window)
    assert_equal waited, found.group_by(&:series).transform_values { |same| same.sum(&:pair_ns) }
    together = series("(all)")
    [[0, 26 * 60], [7, 1283]].each do |minutes|
      span = minutes.map { |minute| START + minute * MINUTE }
      [
        {}, {together:, step_s: 3600}, {kinds: %i[pair]}, {kinds: %i[pair request], together:},
        {kinds: %i[pair], histograms: [], heads: %i[stalled], numbers: []}, {names: "B", by_host: true},
        {kinds: %i[pool_pair lock_pair], together:, numbers: %i[lock_ns], histograms: []},
        {kinds: %i[pair lock_pair], together:, apart: :queue, step_s: 60, settings: [OTHER]},
        {kinds: %i[pair], together:, apart: :name, queues: "C*", hosts: ["b"]}
      ].each do |options|
        assert_equal plainly_summed(span, **options), @store.sums(*span, **options).to_set, options.inspect
      end
    end
  end

  def test_numbers_by_step_are_those_of_the_sums
    commit_mixed_pairs(Random.new(7))
    plain = Holdup::Store::Reader.instance_method(:step_sums)
    [
      {kinds: %i[pair], of: %i[stalled]}, {kinds: %i[pair], of: %i[stalled], apart: :queue, queues: %w[B C]},
      {kinds: %i[request], of: %i[cpu_ns starved_ns], apart: :name}, {of: %i[stalled lock_ns], hosts: ["b"]},
      {kinds: %i[job], of: %i[wall]}, {kinds: %i[nested], of: %i[wall]}
    ].each do |options|
      [60, 3600].each do |step_s|
        span = [START + 7 * MINUTE, START + 1283 * MINUTE]
        assert_equal plain.bind_call(@store, *span, step_s:, **options),
          @store.step_sums(*span, step_s:, **options), options.inspect
      end
    end
  end

  def test_settings_begin_where_their_pairs_do
    commit_mixed_pairs(Random.new(8))
    [{kinds: %i[pair]}, {kinds: Holdup::Series::PAIRS}, {names: "B"}, {}].each do |options|
      sums = @store.sums(START, START + DAY, step_s: 3600, together: series("(all)"), **options)
      expected = sums.map { |sum| [sum.window.start_s, sum.window.setting] }
      assert_equal expected.to_set, @store.setting_starts(START, START + DAY, step_s: 3600, **options).to_set
    end
  end

  def test_reads_only_the_wanted_hosts
    @store.commit([window, window(host: "b", series: series("B")), window(host: "it's", setting: OTHER)], {})

    assert_equal %w[a b it's], @store.hosts
    assert_equal ["B"], names(hosts: ["b"])
    assert_empty names(hosts: ["c"])
    assert_equal ["a", "it's"], @store.windows(START, START + DAY, hosts: ["a", "it's"]).map(&:host).sort
    assert_equal [[START, OTHER]], @store.setting_starts(START, START + DAY, step_s: 3600, hosts: ["it's"])
    together = series("(all)")
    hosts = @store.sums(START, START + DAY, by_host: true, together:).map { |sum| sum.window.host }
    assert_equal %w[a b it's], hosts.sort
  end

  def test_of_histograms_that_are_not_wanted_the_heads_are_read
    @store.commit(mixed_windows(Random.new(8)), {})
    assert_equal @store.windows(START, START + DAY).map { |one| one.spread_of(%i[wall]) }.to_set,
      @store.windows(START, START + DAY, histograms: %i[wall]).to_set
    assert_equal [Holdup::Histogram::CountAndSum] * 6,
      @store.windows(START, START + DAY, histograms: []).first.histograms.values.map(&:class)
  end

  def test_sums_have_the_count_and_the_sum_of_heads
    @store.commit(mixed_windows(Random.new(8)), {})
    sum = @store.sums(START, START + DAY, together: series("(all)"), histograms: [], heads: [:wall]).first
    whole = @store.sums(START, START + DAY, together: series("(all)")).first
    wall = Holdup::Histogram::CountAndSum.of(whole.window.histograms[:wall])
    assert_equal wall, sum.window.histograms[:wall]
    assert_predicate sum.window.histograms[:stalled], :empty?
  end

  def test_which_setting_was_seen_when
    @store.commit(mixed_windows(Random.new(7)), {})
    sums = @store.sums(START, START + DAY, step_s: 7200, together: series("(all)"), kinds: [:job])
    expected = sums.map { |sum| [sum.window.start_s, sum.window.setting] }
    assert_equal expected.to_set,
      @store.setting_starts(START, START + DAY, step_s: 7200, kinds: [:job]).to_set
    refute_empty expected
  end

  def test_the_shortest_windows_that_are_kept
    commit_minutes(0...(24 * 60))
    assert_equal 60, @store.finest_s(START)
    @store.rollup(START + 4 * DAY)
    @store.prune(START + 4 * DAY, max_bytes: 1 << 30)
    assert_equal [300, 60], [START, START + 2 * DAY].map { |from_s| @store.finest_s(from_s) }
  end

  def test_process_samples_come_back_in_order_are_replaced_and_age
    first = {at_s: START, host: "a", pid: 7, rss_bytes: 5, pss_bytes: nil, state: "live"}
    second = {at_s: START + 60, host: "a", pid: 7, rss_bytes: 6}
    @store.commit([], {}, processes: [second, first.merge(rss_bytes: 1)])
    @store.commit([], {}, processes: [first])

    assert_equal [first, second], @store.processes(START, START + 61)
    assert_equal [first], @store.processes(START, START + 60)
    @store.prune(START + 48 * 3600 + 1, max_bytes: 1 << 30)
    assert_equal [second], @store.processes(START, START + 61)
  end

  def test_samples_of_a_long_span_can_be_thinned_out
    all = (0...20).flat_map do |minute|
      [7, 8].map { |pid| {at_s: START + minute * 60 + pid, host: "h", pid:, name: "worker #{pid}"} }
    end
    @store.commit([], {}, processes: all)
    some = @store.processes(START, START + 1200, every_s: 600)
    assert_equal [[9, 7], [9, 8], [19, 7], [19, 8]],
      some.map { |sample| [(sample[:at_s] - START) / 60, sample[:pid]] }
    assert_equal all, @store.processes(START, START + 1200, every_s: 60)
    replaced = some.first.merge(rss_bytes: 77)
    @store.commit([], {}, processes: [replaced])
    assert_equal [replaced, *some.drop(1)], @store.processes(START, START + 1200, every_s: 600)
  end

  def test_samples_of_a_long_span_can_be_those_at_both_ends_of_each_step
    all = (0...25).flat_map do |minute|
      [7, 8].map { |pid| {at_s: START + minute * 60 + pid, host: "h", pid:, name: "worker #{pid}"} }
    end
    @store.commit([], {}, processes: all)
    some = @store.processes(START, START + 1500, every_s: 600, ends: true)
    minutes = [0, 9, 10, 19, 20, 24].product([7, 8])
    assert_equal minutes, some.map { |sample| [(sample[:at_s] - START) / 60, sample[:pid]] }
    one = @store.processes(START, START + 60, every_s: 600, ends: true)
    assert_equal all.first(2), one, "each sample once"
  end

  def test_samples_of_some_hosts
    all = %w[a b c].flat_map do |host|
      [0, 60].map { |later_s| {at_s: START + later_s, host:, pid: 7, rss_bytes: later_s} }
    end
    @store.commit([], {}, processes: all)
    some = all.select { |sample| %w[a c].include?(sample[:host]) }
    assert_equal some, @store.processes(START, START + 61, hosts: %w[a c]).sort_by { |one| one[:host] }
    thinned = @store.processes(START, START + 61, hosts: %w[a c unknown], every_s: 600)
    assert_equal %w[a c], thinned.map { |sample| sample[:host] }
    assert_equal [60, 60], thinned.map { |sample| sample[:at_s] - START }
    assert_empty @store.processes(START, START + 61, hosts: [])
  end

  def test_unit_samples_of_single_units_come_back_in_time_order
    later = unit_sample(700_000, kind: :job, name: "ReportJob", queue: "low", queued_ns: nil)
    @store.commit([], {},
      unit_samples: [sample([later], start_s: START + 600),
        sample([unit_sample(5), unit_sample(2)], seen: 8)])
    @store.commit([], {}, unit_samples: [sample([unit_sample(3)], seen: 1)])

    found = @store.unit_samples(START, START + DAY).to_a
    assert_equal [unit_sample(2), unit_sample(3), unit_sample(5), later].map { |one| one.with(weight: 3.0) },
      [*found.first(3), found.last.with(weight: 3.0)]
    assert_equal [3.0, 3.0, 3.0, 1.0], found.map(&:weight)
    assert_equal [[START, START + 600], [START + 600], []],
      [[0, DAY], [600, 601],
        [1200, DAY]].map { |from_s, to_s| @store.unit_sample_starts(START + from_s, START + to_s) }
  end

  def test_unit_samples_of_a_span_and_a_setting
    unit_samples = [
      sample([unit_sample(59_000), unit_sample(61_000)]),
      sample([unit_sample(60_500, setting: OTHER)], setting: OTHER),
      sample([unit_sample(60_700, host: "b")], host: "b")
    ]
    @store.commit([], {}, unit_samples:)

    assert_equal [60_500, 60_700, 61_000], milliseconds(START + 60, START + 62)
    assert_equal [60_700, 61_000], milliseconds(START + 60, START + 62, setting: SETTING)
    assert_equal [59_000], milliseconds(START, START + 60)
    assert_empty milliseconds(START, START + 60, setting: Holdup::Setting.new(attributes: {"threads" => 99}))
    assert_equal [OTHER, SETTING].to_set, @store.unit_samples(START, START + DAY).map(&:setting).to_set
  end

  def test_when_the_units_of_ten_minutes_ran
    mixed = [unit_sample(59_000), unit_sample(61_000, kind: :job)]
    later = sample([unit_sample(600_001)], start_s: START + 600)
    @store.commit([], {}, unit_samples: [sample(mixed), later])
    others = [sample([unit_sample(60_500, setting: OTHER)], setting: OTHER),
      sample([unit_sample(60_700, host: "b")], host: "b")]
    @store.commit([], {}, unit_samples: [sample([unit_sample(3)]), *others])

    all = @store.unit_samples(START, START + DAY).to_a
    assert_equal unit_spans(all.first(5)), by_origin(@store.unit_spans([START])[START])
    both = @store.unit_spans([START, START + 600, START + 1200])
    assert_equal [START, START + 600], both.keys.sort
    assert_equal unit_spans(all.first(5)), by_origin(both[START])
    assert_equal unit_spans(all.last(1)), by_origin(both[START + 600])
    assert_empty @store.unit_spans([START + 1200])
  end

  def test_of_ten_minutes_only_so_many_are_kept_and_each_is_as_likely
    many(2000, setting: SETTING).each_slice(300) do |some|
      @store.commit([], {}, unit_samples: [sample(some)])
    end
    found = @store.unit_samples(START, START + DAY).to_a

    assert_equal Holdup::SampleBlock::MOST, found.size
    assert_in_delta 2000, found.sum(&:weight), 1e-6
    assert_in_delta 1000,
      found.sum { |one| (one.start_ns < (START + 300) * 1_000_000_000) ? one.weight : 0 }, 130
  end

  def test_reads_as_many_units_of_each_host_as_are_asked_for
    many(1200, setting: SETTING).each_slice(300) do |some|
      @store.commit([], {}, unit_samples: [sample(some)])
    end
    @store.commit([], {}, unit_samples: [sample([unit_sample(1), unit_sample(2)], setting: OTHER)])
    all, some, fewer = [900, 100, 50].map { |most| @store.unit_samples(START, START + DAY, most:).to_a }

    assert_equal [902, 102, 52], [all, some, fewer].map(&:size), "of each setting"
    assert_in_delta 1202, some.sum(&:weight), 1e-6
    assert_empty fewer.map(&:start_ns) - some.map(&:start_ns), "fewer units are part of more"
    assert_equal some.map(&:start_ns).sort, some.map(&:start_ns)
  end

  def test_unit_samples_are_written_with_everything_else_or_not
    assert_raises(ArgumentError) {
      @store.commit([window(start_s: START + 1)], {}, unit_samples: [sample([unit_sample])])
    }
    assert_empty @store.unit_samples(START, START + DAY).to_a
  end

  def test_unit_samples_are_kept_for_fourteen_days_and_never_fill_a_store
    starts = [0, 600, 1200].map { |second| START + second }
    @store.commit([], {},
      unit_samples: starts.map { |start_s| sample([unit_sample((start_s - START) * 1000)], start_s:) })
    @store.prune(starts[1] + 14 * DAY, max_bytes: 1 << 30)
    assert_equal [600_000, 1_200_000], milliseconds(START, START + DAY)
    @store.prune(START + 1200, max_bytes: 1)
    assert_empty milliseconds(START, START + DAY)
  end

  def test_recent_figures_come_back_whole_by_time_and_host
    all = [recent(10, values: [5_000, 1 << 40]), recent(0), recent(0, host: "b")]
    all.each { |one| @store.commit([], {}, recent: one) }

    assert_equal [all[1], all[2], all[0]], @store.recent_figures(START, START + 20)
    assert_equal [all[0]], @store.recent_figures(START + 10, START + 20)
    assert_equal [all[2]], @store.recent_figures(START, START + 20, hosts: ["b"])
    assert_empty @store.recent_figures(START, START + 20, hosts: [])
  end

  def test_recent_figures_are_replaced_by_those_of_the_same_ten_seconds
    2.times { |i| @store.commit([], {}, recent: recent(0, values: [5_000 * (i + 1)])) }

    assert_equal [recent(0, values: [10_000])], @store.recent_figures(START, START + 20)
  end

  # A ring: whatever a host commits, no store has more of it.
  def test_recent_figures_of_a_host_are_those_of_an_hour
    [0, 10, 3_600, 3_610].each { |at_s| @store.commit([], {}, recent: recent(at_s)) }
    @store.commit([], {}, recent: recent(20, host: "b"))

    found = @store.recent_figures(START, START + DAY)
    assert_equal [[20, "b"], [3_600, "a"], [3_610, "a"]], found.map { |one| [one.start_s - START, one.host] }
    @store.prune(START + 7_205)
    assert_equal [3_610], @store.recent_figures(START, START + DAY).map { |one| one.start_s - START }.last(1)
    @store.prune(START + 4 * 3_600)
    assert_empty @store.recent_figures(START, START + DAY)
  end

  def test_recent_figures_are_written_with_everything_else_or_not
    assert_raises(ArgumentError) { @store.commit([window(start_s: START + 1)], {}, recent: recent(0)) }

    assert_empty @store.recent_figures(START, START + DAY)
  end

  # What the slowest request of a minute waited for, in every form that a name has.
  PARTS = [[:call, "sql primary", 2_000_000], [:pair, "Sales#report", 3_000_000], [:pair, nil, 1_000_000],
    [:pool_pair, "(unknown)", 9_000_000]].freeze

  def test_slowest_units_come_back_whole_and_slowest_first
    job = slow(2000, kind: :job, name: "日本語", queue: "低", queued_ns: nil, trace: "f" * 32, parts: PARTS,
      sleep_ns: 9_000_000, pool_wait_ns: 8_000_000, idle_ns: 80_000_000, id: "ジョブ-7")
    request = slow(1000)
    @store.commit([], {}, slowest: blocks([request, job]))

    assert_equal [job, request], @store.slowest_units(START, START + DAY, most: 5)
    assert_equal [job], @store.slowest_units(START, START + DAY, most: 1)
    assert_equal [request], @store.slowest_units(START, START + DAY, most: 5, kinds: [:request])
    assert_empty @store.slowest_units(START, START + DAY, most: 5, names: "X*")
  end

  def test_ten_slowest_units_are_kept_of_each_series_and_minute_however_they_come
    all = Array.new(60) { |index| slow(index * 10, idle_ns: (index * 7 % 60) * 1_000_000) }
    all.each_slice(7) { |some| @store.commit([], {}, slowest: blocks(some)) }
    @store.commit([], {}, slowest: blocks(all.first(20)))
    @store.commit([], {}, slowest: blocks([slow(30, name: "Z#z", idle_ns: 0), slow(61_000, idle_ns: 0)]))

    found = @store.slowest_units(START, START + MINUTE, most: 60, names: "A#b")
    assert_equal all.sort_by(&:order).first(10), found, "each once"
    assert_equal 12, @store.slowest_units(START, START + DAY, most: 60).size
    assert_equal 12, @store.slowest_blocks(START, START + DAY).sum { |block| block.slow_units.size }
  end

  def test_slowest_units_of_a_span_a_setting_and_a_host
    @store.commit([], {}, slowest: blocks([slow(59_000), slow(61_000), slow(61_500, setting: OTHER),
      slow(61_700, host: "b")]))
    span = [START + MINUTE, START + 2 * MINUTE]

    assert_equal [61_000, 61_500, 61_700], slowest_at(*span)
    assert_equal START, @store.slowest_from_s
    assert_equal [61_500], slowest_at(*span, settings: [OTHER])
    assert_equal [61_700], slowest_at(*span, hosts: ["b"])
    assert_equal [59_000], slowest_at(START, START + MINUTE)
    assert_empty slowest_at(*span, hosts: ["c"])
    assert_empty slowest_at(*span, settings: [])
  end

  def test_slowest_units_are_kept_for_48_hours_and_never_fill_a_store
    @store.commit([], {}, slowest: blocks([slow(0), slow(61_000), slow(121_000)]))
    @store.prune(START + MINUTE + 48 * 3600, max_bytes: 1 << 30)
    assert_equal [61_000, 121_000], slowest_at(START, START + DAY)
    @store.prune(START + 1200, max_bytes: 1)
    assert_empty slowest_at(START, START + DAY)
    assert_nil @store.slowest_from_s
  end

  def test_slowest_units_are_written_with_everything_else_or_not
    assert_raises(ArgumentError) { @store.commit([window(start_s: START + 1)], {}, slowest: blocks([slow])) }
    assert_empty slowest_at(START, START + DAY)
  end

  def test_arrivals_come_back_by_minute_and_are_added_up
    job = arrival({[:job, "低"] => arrival_counts({7 => 1})}, start_s: START + MINUTE, setting: OTHER,
      host: "b")
    @store.commit([], {}, arrivals: [arrival({[:request, nil] => arrival_counts({3 => 2}, stamped: 2)}), job])
    @store.commit([], {}, arrivals: [arrival({[:request, nil] => arrival_counts({3 => 1, 4 => 5}, missed: 1),
                                              [:job, nil] => arrival_counts({0 => 1})})])

    both = arrival({[:request, nil] => arrival_counts({3 => 3, 4 => 5}, stamped: 2, missed: 1, squares: 30),
                    [:job, nil] => arrival_counts({0 => 1})})
    assert_equal [both, job], @store.arrivals(START, START + DAY)
    assert_equal [both], @store.arrivals(START + 59, START + MINUTE), "the minute that the span begins in"
    assert_equal [job], @store.arrivals(START + MINUTE, START + DAY)
    assert_empty @store.arrivals(START + 2 * MINUTE, START + DAY)
  end

  def test_arrivals_are_kept_for_48_hours
    starts = [START, START + MINUTE]
    @store.commit([], {}, arrivals: starts.map { |start_s|
      arrival({[:request, nil] => arrival_counts({0 => 1})}, start_s:)
    })
    @store.prune(START + MINUTE + 48 * 3600, max_bytes: 1 << 30)
    assert_equal [START + MINUTE], @store.arrivals(START, START + DAY).map(&:start_s)
    @store.prune(START + 10 * MINUTE + 48 * 3600, max_bytes: 1 << 30)
    assert_empty @store.arrivals(START, START + DAY)
  end

  def test_arrivals_are_written_with_everything_else_or_not
    arrivals = [arrival({[:request, nil] => arrival_counts({0 => 1})})]
    assert_raises(ArgumentError) { @store.commit([window(start_s: START + 1)], {}, arrivals:) }
    assert_empty @store.arrivals(START, START + DAY)
  end

  def test_keeps_each_change_of_a_setting_once
    assert_empty @store.audit_entries(START, START + DAY)
    later = change(1, at_s: START + MINUTE, host: "b", event: :ends, who: :lease, from: 3, to: 5)
    first = change(0, begins: "id x\nvalues 5 3\n", why: "速い \"p95\"")
    @store.commit([], {}, audit: [later])
    @store.commit([window], {}, audit: [first, later])
    assert_equal [first, later], @store.audit_entries(START, START + DAY)
    assert_equal [later], @store.audit_entries(START + 1, START + DAY)
    assert_equal [first], @store.audit_entries(START, START + MINUTE)
    assert_equal [later], @store.audit_entries(START, START + DAY, events: %i[begins ends])
  end

  def test_writes_changes_of_settings_with_everything_else_or_not
    @store.checkpoints(host: "a")
    assert_raises(Holdup::StoreError::Locked) do
      @store.commit([], {"a segments/t" => "2"}, audit: [change(0)], expected: {"a segments/t" => "1"})
    end
    assert_empty @store.audit_entries(START, START + DAY)
  end

  def test_keeps_changes_of_settings_for_ninety_days
    @store.commit([], {}, audit: [change(0), change(1, at_s: START + 1)])
    @store.prune(START + 90 * DAY, max_bytes: 1)
    assert_equal 2, @store.audit_entries(START, START + DAY).size
    @store.prune(START + 90 * DAY + 1, max_bytes: 1 << 30)
    assert_equal [START + 1], @store.audit_entries(START, START + DAY).map(&:at_s)
  end

  def test_keeps_each_death_once
    assert_empty @store.deaths(START, START + DAY)
    later = autopsy(1, alive_ns: (START + MINUTE) * 1_000_000_000, reason: :signal, status: 9)
    first = autopsy(0, units: [{kind: :job, name: "速い \"J\"", state: nil, started_ns: 1 << 60}],
      shares: {"A#b c" => 0.25})
    @store.commit([], {}, deaths: [later])
    @store.commit([window], {}, deaths: [first, later, first])
    assert_equal [first, later], @store.deaths(START, START + DAY)
    assert_equal [later], @store.deaths(START + 1, START + DAY)
    assert_equal [first], @store.deaths(START, START + MINUTE)
  end

  def test_writes_a_death_with_everything_else_or_not
    @store.checkpoints(host: "a")
    assert_raises(Holdup::StoreError::Locked) do
      @store.commit([], {"a segments/t" => "2"}, deaths: [autopsy(0)], expected: {"a segments/t" => "1"})
    end
    assert_empty @store.deaths(START, START + DAY)
  end

  def test_removes_the_death_of_a_process_that_returned_until_it_is_lost_again
    lost, other = [0, 1].map { |number| autopsy(number, reason: :lost, last_round_ns: START) }
    @store.commit([], {}, deaths: [lost, other])
    @store.commit([], {}, returned: [lost])
    assert_equal [other], @store.deaths(START, START + DAY)
    again = autopsy(0, alive_ns: (START + MINUTE) * 1_000_000_000, reason: :lost)
    @store.commit([], {}, deaths: [again])
    assert_equal [other, again], @store.deaths(START, START + DAY)
    @store.commit([window], {}, returned: [again])
    assert_equal [other], @store.deaths(START, START + DAY)
  end

  def test_keeps_deaths_for_ninety_days
    @store.commit([], {}, deaths: [autopsy(0), autopsy(1, alive_ns: (START + 1) * 1_000_000_000)])
    @store.prune(START + 90 * DAY, max_bytes: 1)
    assert_equal 2, @store.deaths(START, START + DAY).size
    @store.prune(START + 90 * DAY + 1, max_bytes: 1 << 30)
    assert_equal [START + 1], @store.deaths(START, START + DAY).map(&:at_s)
  end

  def test_keeps_the_first_notice_of_each_source
    assert_empty @store.notices(START, START + DAY)
    @store.commit([], {}, notices: [notice("stall 0", by: "a", facts: {share: 0.5, name: "速い \"J\""})])
    @store.commit([], {}, notices: [notice("stall 0", by: "b", at_s: START + 1), notice("x", by: "b")])
    told = @store.notices(START, START + DAY)
    assert_equal [%w[stall\ 0 a], %w[x b]], told.map { |one| [one.source, one.by] }
    assert_equal({share: 0.5, name: "速い \"J\""}, told.first.facts)
    assert_empty @store.notices(START + 1, START + DAY)
  end

  def test_keeps_notices_for_ninety_days
    @store.commit([], {}, notices: [notice("a"), notice("b", at_s: START + 1)])
    @store.prune(START + 90 * DAY, max_bytes: 1)
    assert_equal %w[a b], @store.notices(START, START + DAY).map(&:source)
    @store.prune(START + 90 * DAY + 1, max_bytes: 1 << 30)
    assert_equal %w[b], @store.notices(START, START + DAY).map(&:source)
  end

  # A death with hundreds of requests in flight is longer than what MySQL calls a text.
  def test_a_death_may_be_long
    units = Array.new(256) { |i| {kind: :request, state: :gvl, name: "A#{i}#{"x" * 600}"} }
    @store.commit([], {}, deaths: [autopsy(0, units:)])
    assert_equal units, @store.deaths(START, START + DAY).first.units
  end

  def test_what_came_of_predictions_is_kept_once_each
    assert_empty @store.outcomes
    first = outcome
    second = outcome(at_s: START + DAY, kind: :job, pool: "low", threads: 3)
    assert_nil @store.keep(second)
    @store.keep(outcome(units: 5, figures: {p95: figure(1)}))
    @store.keep(first)
    assert_equal [first, second], @store.outcomes
    intervals = @store.outcomes.first.figures.values_at(:wait, :p95).map do |figure|
      [figure.lowest_ns, figure.highest_ns]
    end
    assert_equal [[nil, nil], [0, 1 << 60]], intervals
  end

  def test_what_came_of_predictions_stays_as_long_as_the_longest_windows
    young = outcome(at_s: START + DAY)
    old = outcome(threads: 3)
    [young, old].each { |one| @store.keep(one) }
    @store.prune(START + 400 * DAY, max_bytes: 1)
    assert_equal [old, young], @store.outcomes
    @store.prune(START + 400 * DAY + 1, max_bytes: 1 << 30)
    assert_equal [young], @store.outcomes
  end

  def test_an_answer_is_kept_until_the_next_to_its_question
    assert_nil @store.answer("advice it's")
    first = answer(text: "1' " * 40_000)
    assert_nil @store.keep_answer(first)
    @store.keep_answer(answer(question: "another"))
    assert_equal first, @store.answer("advice it's")
    @store.keep_answer(second = answer(at_s: START + 1))
    assert_equal second, @store.answer("advice it's")
    assert_equal "another", @store.answer("another").question
  end

  def test_an_answer_goes_when_it_is_too_old_for_anybody
    @store.keep_answer(answer)
    @store.keep_answer(young = answer(question: "another", at_s: START + 1))
    @store.prune(START + 2 * DAY, max_bytes: 1 << 30)
    assert @store.answer("advice it's")
    @store.prune(START + 2 * DAY + 1, max_bytes: 1 << 30)
    assert_nil @store.answer("advice it's")
    assert_equal young, @store.answer("another")
  end

  def test_an_empty_store_has_no_extent
    assert_equal [[], nil], [@store.extent, @store.health[:newest_s]]
  end

  def test_health_says_what_is_in_it
    @store.commit([window, window(start_s: START + MINUTE)], {})

    assert_equal [START, START + MINUTE, 1, false],
      @store.health.values_at(:oldest_s, :newest_s, :series, :read_only)
    assert_equal [START, START + MINUTE], @store.extent
    assert_operator @store.health[:bytes], :>, 0
    assert_nil @store.migrate!
  end

  def test_any_order_of_commits_roll_ups_and_prunes_keeps_every_unit
    histories.times { |seed| check_history(Random.new(seed)) }
  end

  private

  # As a collector of the folder of that id does.
  def carry(id, at_s:, path: "/dev/shm/holdup")
    folder = Holdup::CollectorCheckpoint.folder(path, id)
    collector_checkpoint = Holdup::CollectorCheckpoint.new(host: "a", folder:,
      at_ns: at_s * 1_000_000_000, units: {})
    @store.checkpoints(host: id)
    @store.commit([], checkpoints(id), collector_checkpoint:)
  end

  def checkpoints(id)
    {"7-1.segment" => "head", "7-1.segment#units" => "units", "#token" => "3 abc"}.transform_keys do |name|
      "#{id} segments/#{name}"
    end
  end

  def histories = 5

  def answer(question: "advice it's", at_s: START, text: "more memory")
    Holdup::Store::KeptAnswer.new(question:, at_s:, text:)
  end

  def skipped(at_s: START, kind: :series, name: "A", reason: "broken", count: 1)
    Holdup::SkippedRow.new(at_s:, host: "a", kind:, name:, reason:, count:)
  end

  def check_history(random)
    store = new_store
    units = 0
    200.times do |step|
      now = START + step * 800
      late = START + random.rand(0..step) * 800 / MINUTE * MINUTE
      store.commit([window(start_s: late / MINUTE * MINUTE, values: [random.rand(1..(1 << 30))])],
        {"s" => step.to_s})
      units += 1
      store.rollup(now) if random.rand(4).zero?
      store.prune(now, max_bytes: 1 << 30) if random.rand(8).zero?
    end

    assert_equal units, store.windows(START, START + 10 * DAY).sum(&:count), "seed #{random.seed}"
  ensure
    store&.close
  end

  def change(number, **rest)
    Holdup::AuditEntry.new(source: "0123456789abcdef/audit-20241004.log:#{number}", at_s: START,
      host: "a", pid: 7, event: :turn, plan_id: "k3f9", lever: "threads", from: 5, to: 3,
      who: :experiment, by: "deploy@a", **rest)
  end

  def autopsy(number, alive_ns: START * 1_000_000_000, **rest)
    Holdup::Autopsy.new(source: "0123456789abcdef/#{number}-1.segment:5", host: "a", pid: number,
      name: "worker 0", setting: SETTING.fingerprint, since_ns: alive_ns - 1, alive_ns:,
      gone_ns: alive_ns + 5, **rest)
  end

  def notice(source, at_s: START, by: "a", facts: {})
    Holdup::Notice.new(source:, rule: "stall", state: :began, at_s:, by:, facts:)
  end

  def outcome(**rest)
    Holdup::PredictionOutcome.new(
      at_s: START, app: "shop", kind: :request, pool: "", setting: SETTING.fingerprint, from_s: START - DAY,
      to_s: START - 1, processes: 2, threads: 5, time_slice_ns: 100_000_000, units: 9_000,
      figures: {response: figure(1), p95: figure(1 << 50, lowest_ns: 0, highest_ns: 1 << 60),
                wait: figure(0)}, **rest
    )
  end

  def figure(ns, **interval)
    Holdup::PredictionOutcome::Quantity.new(recorded_ns: ns, replayed_ns: ns + 1, predicted_ns: ns + 2,
      measured_ns: ns + 3, **interval)
  end

  def unit_sample(at_ms = 0, setting: SETTING, **rest) = super

  def sample(unit_samples, setting: SETTING, **rest)
    block(unit_samples, setting:, **rest)
  end

  def slow(at_ms = 0, setting: SETTING, **rest) = slow_unit(at_ms, setting:, **rest)

  def blocks(slow_units) = Holdup::SlowestBlock.of(slow_units)

  # @param at_s [Integer] since START
  def recent(at_s, host: "a", values: [5_000], **rest)
    start_s = START + at_s
    heads = ->(one) { one.spread_of([:wall]) }
    total = heads.call(window(start_s:, series: Holdup::RecentFigures::ALL, setting: nil, host:, values:))
    total = total.with(seconds: Holdup::RecentFigures::STEP_S)
    job = Holdup::Series.new(kind: :job, name: "ReportJob", queue: "low")
    none = Holdup::Window.empty(series: job, host:, start_s:, seconds: total.seconds)
    others = total.with(series: Holdup::Series.new(kind: :job, name: Holdup::RecentFigures::ALL.name))
    time = Holdup::RecentFigures::HeldTime.new(held_ns: 5, covered_ns: 1 << 40, thread_ns: 1 << 41)
    holder = Holdup::RecentFigures::HolderTime.new(kind: :request, waited_ns: 7, held: {"puma" => 5})
    waited = Holdup::RecentFigures::WaitedTime.new(ns: 9, nobody_ns: 1, holders: {"A#b" => holder})
    Holdup::RecentFigures.new(host:, start_s:, length_ms: 10_020, total:, held: {"puma" => time}, waited:,
      others: {job: others}, series: [total.with(series: series("A")), none], **rest)
  end

  # @param counts [Hash{Array(Symbol, String) => Holdup::ArrivalCounts}] by kind and pool
  def arrival(counts, start_s: START, setting: SETTING, host: "a")
    counts = counts.transform_keys { |kind, pool| Holdup::ArrivalBlock::UnitPool.new(kind:, pool:) }
    Holdup::ArrivalBlock.new(setting:, host:, start_s:, counts:)
  end

  # @param by_second [Hash{Integer => Integer}]
  def arrival_counts(by_second, squares: by_second.values.sum { |count| count**2 }, stamped: 0, missed: 0)
    seconds = Array.new(60) { |second| by_second.fetch(second, 0) }
    Holdup::ArrivalCounts.new(seconds:, squares:, stamped:, missed:)
  end

  # @return [Array<Integer>] starts in ms
  def slowest_at(from_s, to_s, **only)
    found = @store.slowest_units(from_s, to_s, most: 20, **only)
    found.map { |slow| slow.unit.start_ns / 1_000_000 - START * 1000 }.sort
  end

  # @return [Hash] setting, host and kind => start and end of each unit, and since when processes are measured
  def unit_spans(units)
    by_origin = units.group_by { |unit| [unit.setting, unit.host, unit.series.kind] }
    by_origin.transform_values do |same|
      [same.map { |unit| [unit.start_ns, unit.end_ns] }.sort, [PROCESS.since_ns]]
    end
  end

  def by_origin(blocks)
    units = blocks.flat_map do |block|
      block.spans.map do |kind, units|
        [[block.setting, block.host, kind], units.starts_ns.zip(units.ends_ns), block.since_ns]
      end
    end
    units.group_by(&:first).transform_values do |same|
      [same.flat_map { |_, spans, _| spans }.sort, same.map(&:last).uniq]
    end
  end

  def milliseconds(...)
    @store.unit_samples(...).map { |one| one.start_ns / 1_000_000 - START * 1000 }
  end

  def series(name)
    Holdup::Series.new(kind: :request, name:)
  end

  def pair_window(series, **sums)
    empty = Holdup::Window.empty(series:, setting: SETTING, host: "a", start_s: START, seconds: MINUTE)
    empty.with(sums: empty.sums.merge(sums))
  end

  def window(start_s: START, series: series("A"), setting: SETTING, host: "a", values: [5_000])
    histogram = Holdup::Histogram.of(values)
    Holdup::Window.new(start_s:, seconds: MINUTE, series:, setting:, host:, count: values.size, errors: 0,
      sums: Holdup::Window::SUMS.to_h { |name| [name, values.size * 3] },
      histograms: Holdup::Window::HISTOGRAMS.to_h { |name| [name, histogram] })
  end

  # Each minute marks itself by its GC time, so that a read can be taken apart again.
  def commit_minutes(range)
    windows = range.map do |i|
      plain = window(start_s: START + i * MINUTE)
      plain.with(sums: plain.sums.merge(gc_ns: i, caused_ns: i * i))
    end
    @store.commit(windows, {})
  end

  # Two series, settings and hosts, and durations from nothing to hours.
  def mixed_windows(random)
    (0...26 * 60).step(9).flat_map do |minute|
      [series("A"), series("B"), Holdup::Series.new(kind: :job, name: "B", queue: "low")].sample(2,
        random:).map do |one|
        values = Array.new(random.rand(0..20)) { (10**random.rand(0.0..13.0)).round }
        window(start_s: START + minute * MINUTE, series: one, setting: [SETTING, OTHER].sample(random:),
          host: %w[a b].sample(random:), values:)
      end
    end
  end

  def mixed_pairs(random)
    (0...26 * 60).step(13).flat_map do |minute|
      Holdup::Series::PAIRS.product(%w[A B], %w[B C]).sample(3, random:).map do |kind, name, queue|
        Holdup::Window.of_pair(series: Holdup::Series.new(kind:, name:, queue:), ns: random.rand(1 << 40),
          start_s: START + minute * MINUTE, seconds: MINUTE, setting: [SETTING, OTHER].sample(random:),
          host: %w[a b].sample(random:))
      end
    end
  end

  # @return [Array(Array<Window>, Array<Window>)] pairs from before the roll-up, and from after it
  def commit_mixed_pairs(random)
    pairs = mixed_pairs(random)
    @store.commit([*pairs, *mixed_windows(random)], {})
    @store.rollup(START + 25 * 3600 + 700)
    late = pairs.first(40).map { |pair| pair.with(host: %w[b c].sample(random:)) }
    2.times { @store.commit(late, {}) }
    [pairs, late * 2]
  end

  def plainly_summed(span, step_s: nil, seconds: step_s, settings: nil, together: nil, apart: nil,
    by_host: false, histograms: Holdup::Window::HISTOGRAMS, heads: [], numbers: Holdup::Window::SUMS,
    **filter)
    @plain_windows ||= {}
    windows = @plain_windows[[span, seconds, filter]] ||= @store.windows(*span, seconds:, **filter).to_a
    Holdup::Store::SpanSum.of(windows, step_s:, settings:, together:, apart:, by_host:, histograms:, heads:,
      numbers:).to_set
  end

  def minutes_in(from_s, to_s)
    @store.windows(from_s, to_s).flat_map do |window|
      first = (window.start_s - START) / MINUTE
      all = (first...first + window.count).to_a
      assert_equal [all.sum, all.sum { |i| i * i }], window.sums.values_at(:gc_ns, :caused_ns)
      all
    end
  end

  def total(from_s, to_s)
    Holdup::Window.sum(@store.windows(from_s, to_s)).with(start_s: from_s, seconds: to_s - from_s)
  end

  def count(from_s, to_s, **options)
    @store.windows(from_s, to_s, **options).sum(&:count)
  end

  def names(**filter)
    @store.windows(START, START + DAY, **filter).map { |window| window.series.name }.sort
  end
end
