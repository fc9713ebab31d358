# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::ConnectionWaitsTest < Minitest::Test
  MS = 1_000_000

  # name => milliseconds in all: elapsed, waited, kept
  UNITS = {"Reports#show" => [100, 0, 90], "Orders#index" => [60, 24, 6], "Orders#show" => [40, 16, 4]}.freeze

  def windows(units = UNITS, setting: {"db_pool" => 5})
    sample = SampleWindows.new(setting:)
    units.map do |name, (wall, wait, held)|
      sums = {sleep_ns: wait * MS, io_ns: (wall - wait) * MS, pool_wait_ns: wait * MS,
              pool_held_ns: held * MS}
      sample.window(name, count: 2, sums:, histograms: {wall: Holdup::Histogram.of([wall * MS / 2] * 2)})
    end
  end

  IDLE = [0,
    60].map { |at| {host: "web-1", pid: 9, at_s: SampleWindows::START_S + at, connections_kept_ns: 0} }.freeze

  def summary(windows = self.windows, samples: IDLE, **options)
    Holdup::Analysis::Summary.new(windows, samples:, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 60, **options)
  end

  def connections(...) = summary(...).connections

  def sample(pid, at, **facts)
    {host: "web-1", pid:, name: "worker #{pid}", server: "puma", at_s: SampleWindows::START_S + at, **facts}
  end

  def test_shares_of_waiting_and_of_keeping
    summary = self.summary
    assert_in_delta 0.2, summary.connections.wait_share
    kept = summary.rows.to_h { |row| [row.name, summary.connections.held_share(row)] }
    assert_in_delta 0.9, kept["Reports#show"]
    assert_in_delta 1.0, kept.values.sum
  end

  def test_the_holder_is_named_also_when_the_report_is_about_others
    narrow = connections(filter: Holdup::Analysis::UnitFilter.new(name: "Orders#show"))
    assert_equal "Reports#show", narrow.holder.name
    assert_in_delta 0.4, narrow.wait_share
  end

  def test_has_no_figures_without_waits
    calm = connections(windows({"A" => [50, 0, 40]}))
    assert_equal [false, false, 0.0], [calm.any?, calm.notable?, calm.wait_share]
    empty = connections([])
    assert_equal [false, nil, nil, []], [empty.any?, empty.holder, empty.size, empty.pools]
  end

  def test_from_a_tenth_of_the_time_on_it_is_notable
    assert_equal [true, false], [10, 9].map { |wait| connections(windows({"A" => [100, wait, 1]})).notable? }
  end

  def test_sizes_of_several_settings
    mixed = windows + windows({"B" => [10, 1, 1]},
      setting: {"db_pool" => 10}) + windows({"C" => [10, 1, 1]}, setting: {"ruby" => "x"})
    assert_equal ["5", "5/10"], [connections.size, connections(mixed).size]
  end

  def test_sizes_of_several_pools
    assert_equal "5 (animals: 2)",
      connections(windows(setting: {"db_pool" => 5, "db_pool.animals" => 2})).size
    mixed = [5, 10].flat_map do |size|
      windows({"B" => [10, 1, 1]}, setting: {"db_pool" => size, "db_pool.animals" => 2})
    end
    assert_equal "5/10 (animals: 2)", connections(mixed).size
  end

  def test_of_several_pools_the_one_that_was_waited_for_has_no_size
    assert_nil connections(windows(setting: {"db_pool" => 5, "db_pool.animals" => 2})).only_size
    assert_equal "5", connections(windows(setting: {"db_pool" => 5})).only_size
  end

  def test_threads_outside_of_units_keep_connections_too
    samples = [[1, 0, 100], [1, 60, 300], [2, 0, 0], [2, 60, 200]].map { |pid, at, ms|
      sample(pid, at, connections_kept_ns: ms * MS)
    }
    summary = self.summary(samples:)
    assert_in_delta 0.8, summary.connections.outside_share
    assert_in_delta 0.2, summary.rows.sum { |row| summary.connections.held_share(row) }
    result = Holdup::Analysis::StallVerdict.new(summary).call
    assert_equal [:connections_outside, "5"], [result.key, result.facts[:size]]
    assert_in_delta 0.8, result.facts[:held_share]
  end

  # Two processes. A sample of one has four waiting threads; units waited for 40 ms in all.
  def test_one_pool_has_the_waits_themselves_and_several_what_was_seen
    db = {"pool.0": "web", "pool.0.max": 3, "pool.0.busy": 3, "pool.1": "db primary", "pool.1.max": 2}
    samples = [sample(1, 0, **db, "pool.1.busy": 2, "pool.1.backlog": 4),
      sample(2, 0, **db, "pool.1.busy": 1, "pool.1.backlog": 0)]
    pool = connections(samples:).pools.first
    assert_equal ["primary", [2], 1.5, 4], pool.to_h.values_at(:name, :max, :busy, :most_backlog)
    assert_in_delta 0.04 / 120, pool.backlog
    several = connections(samples: samples.map { |one|
      one.merge("pool.2": "db animals",
        "pool.2.max": 1)
    }).pools
    assert_equal({"primary" => 2.0, "animals" => nil}, several.to_h { |one| [one.name, one.backlog] })
  end

  # In units 40 ms of waits; the samples of both pools met none.
  def test_no_waits_of_several_pools_are_not_said_where_threads_waited
    samples = [0, 60].map do |at|
      sample(1, at, "pool.0": "db primary", "pool.0.max": 4, "pool.0.busy": 1,
        "pool.0.backlog": 0, "pool.1": "db animals", "pool.1.max": 1, "pool.1.busy": 1, "pool.1.backlog": 0)
    end
    pools = connections(samples:).pools
    assert_equal [nil, nil], pools.map(&:backlog)
    assert_equal [nil, nil], pools.map(&:most_backlog)
  end

  def test_the_verdict_names_the_holder_unless_units_stall_more
    result = Holdup::Analysis::StallVerdict.new(summary).call
    assert_equal [:connections_kept, "Reports#show", "5"],
      [result.key, result.facts[:cause].name, result.facts[:size]]
    assert_in_delta 0.9, result.facts[:held_share]
    stalled = windows.map { |window|
      window.with(histograms: window.histograms.merge(stalled: window.histograms[:wall]))
    }
    refute_equal :connections_kept, Holdup::Analysis::StallVerdict.new(summary(stalled)).call.key
  end

  # name => holder => milliseconds
  def pairs(by_victim)
    sample = SampleWindows.new(setting: {"db_pool" => 5})
    by_victim.flat_map do |victim, parts|
      parts.map do |holder, ms|
        sample.window(victim, kind: :pool_pair, queue: holder, sums: {pool_wait_ns: ms * MS})
      end
    end
  end

  def verdict(by_victim, units = UNITS, **options)
    summary = summary(windows(units), connection_pairs: pairs(by_victim), **options)
    Holdup::Analysis::StallVerdict.new(summary).call
  end

  def named(name) = {filter: Holdup::Analysis::UnitFilter.new(name:)}

  def test_the_verdict_says_whom_the_name_that_waits_longest_waits_for
    parts = {"Orders#index" => {"Reports#show" => 18, "Orders#index" => 6}}
    found = verdict(parts)
    assert_equal [:connections_waits_for, "Orders#index", "Reports#show", "5"],
      [found.key, found.facts[:victim].name, found.facts[:cause].name, found.facts[:size]]
    assert_in_delta 0.4, found.facts[:share]
    assert_in_delta 0.75, found.facts[:held_share]
  end

  def test_the_verdict_about_one_name_is_about_its_waits
    parts = {"Orders#index" => {"Reports#show" => 24},
             "Orders#show" => {"Orders#show" => 12, "(unknown)" => 4}}
    found = verdict(parts, **named("Orders#show"))
    assert_equal [:connections_waits_for_own, 0.75], [found.key, found.facts[:held_share]]
    thread = verdict({"Orders#show" => {"thread:poller" => 16}}, **named("Orders#show"))
    assert_equal [:connections_waits_for_thread, "thread:poller"], [thread.key, thread.facts[:cause].name]
  end

  # Then it is known who keeps the connections, but not whom these waited for.
  def test_the_verdict_names_nobody_whom_most_waits_were_not_for
    assert_equal :connections_kept, verdict({"Orders#index" => {"(unknown)" => 20, "Reports#show" => 4}}).key
    assert_equal :connections_kept, verdict({}).key
  end

  def test_several_names_that_wait_as_long_are_one_sentence
    units = %w[A B C].to_h { |name| [name, [100, 30, 1]] }.merge("Slow" => [100, 0, 90])
    assert_equal :connections_kept, verdict(%w[A B C].to_h { |name| [name, {"Slow" => 30}] }, units).key
  end

  # All together they hardly wait, and nothing else stands out as much.
  def test_one_name_that_waits_in_an_application_that_does_not
    units = {"Big#show" => [1_000, 0, 90], "Small#show" => [50, 40, 1]}
    found = verdict({"Small#show" => {"Big#show" => 40}}, units)
    assert_equal [:connections_waits_for, "Small#show"], [found.key, found.facts[:victim].name]
    assert_in_delta 0.8, found.facts[:share]
    rare = verdict({"Small#show" => {"Big#show" => 4}},
      {"Big#show" => [1_000, 0, 90], "Small#show" => [5, 4, 1]})
    refute_equal :connections_waits_for, rare.key
  end

  def test_pairs_of_a_name_add_up_to_its_waits
    summary = summary(connection_pairs: pairs("Orders#index" => {"Reports#show" => 18, "(others)" => 6}))
    assert_equal [0.75, 0.25], summary.connection_pairs.map(&:share)
    assert_equal %i[request others], summary.connection_pairs.map { |pair| pair.causer.kind }
  end

  def test_a_process_that_was_born_in_the_span_began_at_zero
    born = connections(samples: [sample(1, 50, since_s: SampleWindows::START_S, ended: true,
      connections_kept_ns: 100 * MS)])
    assert_equal [100 * MS, true], [born.outside_ns, born.outside_known?]
  end

  def test_names_no_holder_without_samples_of_most_of_the_time
    early = [sample(1, 5, since_s: SampleWindows::START_S, connections_kept_ns: 0)]
    [[], early].each do |samples|
      summary = self.summary(samples:)
      refute_predicate summary.connections, :outside_known?
      assert_equal :connections, Holdup::Analysis::StallVerdict.new(summary).call.key
    end
  end

  def test_the_verdict_without_a_size_or_holder
    unsized = windows(setting: {})
    unkept = windows({"A" => [100, 50, 0]})
    [unsized, unkept].each do |windows|
      assert_equal :connections, Holdup::Analysis::StallVerdict.new(summary(windows)).call.key
    end
  end
end
