# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector::ProcessSnapshotTest < Minitest::Test
  Header = Data.define(:pid, :start, :closed?, :process_name, :generation, :parent, :created_ns,
    :heartbeat_ns, :counters, :gauges, :pools)
  Entry = Data.define(:path, :known, :profile) do
    def here?(_header) = known

    def read
      raise profile if profile.is_a?(Exception)
      yield self
    end
  end
  NS = 1_000_000_000
  HEADER = Header.new(pid: 7, start: 5, closed?: false, process_name: "worker 0", generation: 1, parent: 3,
    created_ns: 90 * NS, heartbeat_ns: 100 * NS + 1, counters: {units: 4}, gauges: {rss: nil, threads: 5},
    pools: [{max: 5, busy: nil}, {max: 1, busy: 1}])
  PROFILE = {"server" => "puma", "pool.0" => "web", "pool.1" => "db", "jit.at" => "process",
             "killer.of" => "all", "lever.threads.value" => 5}.freeze

  def snapshot(profile: PROFILE, known: true, ended: false, path: "/nowhere", **header)
    Holdup::Collector::ProcessSnapshot.new(header: HEADER.with(**header),
      setting: Holdup::Setting.new(attributes: {}), entry: Entry.new(path:, known:, profile:), ended:)
  end

  def test_facts_without_what_is_not_known
    facts = snapshot.facts
    assert_equal [7, "worker 0", "puma", 90, 4, 5],
      facts.values_at(:pid, :name, :server, :since_s, :units, :threads)
    refute_includes facts, :rss
    refute_includes facts, :ended
    assert snapshot(ended: true).facts.fetch(:ended)
  end

  def test_pools_have_their_names_and_what_is_known_of_them
    facts = snapshot.facts
    assert_equal ["web", 5, "db", 1], facts.values_at(:"pool.0", :"pool.0.max", :"pool.1", :"pool.1.busy")
    refute_includes facts, :"pool.0.busy"
  end

  # They change seldom, and would be most of a sample.
  def test_levers_are_apart_from_the_facts
    assert_equal({"lever.threads.value": 5}, snapshot.levers)
    facts = snapshot.facts
    refute_includes facts, :"lever.threads.value"
    assert_equal %w[process all], facts.values_at(:"jit.at", :"killer.of")
  end

  def test_a_profile_that_can_not_be_read_is_left_to_the_next_sample
    [Holdup::DamagedData.new("damaged"), Errno::ENOENT.new].each do |failure|
      facts = snapshot(profile: failure).facts
      assert_equal 7, facts[:pid]
      refute_includes facts, :server
    end
    refute_predicate snapshot(profile: nil), :ended_with_others?
  end

  def test_a_process_grows_while_it_is_here_and_open
    assert_predicate snapshot, :growing?
    refute_predicate snapshot(known: false), :growing?
    refute_predicate snapshot(closed?: true), :growing?
  end

  def test_pid_and_start_are_its_key
    assert_equal [7, 5], snapshot.key
    assert_equal 100, snapshot.heartbeat_s
    assert_predicate snapshot, :ended_with_others?
  end

  def test_a_segment_that_was_removed_has_no_size
    assert_equal 0, snapshot.bytes
    assert_equal File.size(__FILE__), snapshot(path: __FILE__).bytes
  end
end
