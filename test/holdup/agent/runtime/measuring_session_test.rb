# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/guard"
require "holdup/agent/runtime"
require "holdup/agent/servers"
require "json"

class Holdup::Runtime::MeasuringSessionTest < Minitest::Test
  include TemporaryFolder

  MeasuringSession = Holdup::Runtime::MeasuringSession
  Identity = Holdup::Servers::Identity
  Pool = Holdup::Servers::Pool
  PUMA = Identity.new(name: "puma", facts: {"server" => "puma", "threads" => 5}, worker: 2)

  def setup
    @probe = RecordingProbe.new(enabled: false)
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    @resources = Holdup::Runtime::Resources.new(@guard)
  end

  def teardown
    @session&.pause
    super
  end

  def test_the_segment_has_the_configured_size_the_worker_and_the_forks
    open_session(PUMA, generation: 1, series_limit: 100, ring_size: 512, pair_limit: 300)
    path, *values = @probe.opened.first
    assert_match(%r{\A#{folder}/#{Process.pid}-\d+\.segment\z}, path)
    assert_equal [100, 512, 2, 1, 300], values
  end

  # A reforked worker of Puma or Pitchfork knows better than the number of forks.
  def test_the_generation_of_the_server_wins
    open_session(PUMA.with(generation: 7), generation: 1)
    assert_equal 7, @probe.opened.first[4]
  end

  # A collector that reads the segment at once needs them.
  def test_setting_and_profile_are_written_before_anything_is_measured
    written = nil
    @probe.define_singleton_method(:enable) do
      written = [settings.size, profiles.size]
      super()
    end
    open_session(PUMA)
    assert_equal [1, 1], written
  end

  def test_holds_are_sampled_after_the_configured_time_until_it_closes
    open_session(PUMA, hold_sample: 25)
    assert_equal 25_000_000, @probe.hold_samples
    root, foreign, ours = @probe.folders
    assert_equal "#{Dir.pwd}/", root
    [RbConfig::CONFIG["rubylibdir"], Gem.loaded_specs.fetch("minitest").gem_dir].each do |path|
      assert foreign.any? { |folder| "#{File.realpath(path)}/".start_with?(folder) }, path
    end
    refute foreign.any? { |folder| root.start_with?(folder) }
    assert_equal "#{File.realpath("lib")}/", ours
    @session.close
    assert_equal 0, @probe.hold_samples
  end

  def test_holds_are_not_sampled_when_it_is_switched_off
    [0, nil].each do |off|
      open_session(PUMA, hold_sample: off)
      assert_nil @probe.hold_samples
      @session.pause
    end
  end

  def test_a_segment_that_can_not_be_created_leaves_the_probe_alone
    @probe.refusal = ->(*) { Errno::EACCES }
    assert_raises(Errno::EACCES) { open_session(PUMA) }
    assert_empty @probe.calls
    assert_empty @probe.settings
  end

  def test_setting_and_profile_are_written_only_when_they_change
    open_session(PUMA)
    3.times { @session.tick }
    assert_equal 1, @probe.settings.size
    assert_equal 1, @probe.profiles.size
    @session.identify(PUMA.with(facts: {"server" => "puma", "threads" => 3}))
    assert_equal [5, 3], @probe.settings.map { |json| JSON.parse(json)["threads"] }
    assert_equal 1, @probe.profiles.size
  end

  def test_facts_of_the_server_win_over_those_of_resources
    @resources.add(resource(facts: {"threads" => 99, "pool" => 10}))
    open_session(PUMA)
    setting = JSON.parse(@probe.settings.last)
    assert_equal 5, setting["threads"]
    assert_equal 10, setting["pool"]
  end

  def test_pools_of_the_server_come_first_and_no_more_than_there_is_room_for
    names = Array.new(6) { |index| "web#{index}" }
    @resources.add(resource(pools: Array.new(6) { |index| Pool.new(name: "db#{index}") }))
    open_session(PUMA.with(pools: -> { names.map { |name| Pool.new(name:) } }))
    assert_equal [*names, "db0", "db1"], @probe.pools
    profile = JSON.parse(@probe.profiles.last)
    assert_equal "web0", profile["pool.0"]
    assert_equal "db1", profile["pool.7"]
    refute profile.key?("pool.8")
  end

  def test_the_profile_has_the_queues_of_pools_with_waiting_jobs
    queues = [Holdup::WaitingQueue.new(name: "high", size: 3),
      Holdup::WaitingQueue.new(name: "low", size: 9, lane: 1)]
    pools = [Pool.new(name: "web"), Pool.new(name: "default", backlog: 12, queues:)]
    open_session(PUMA.with(pools: -> { pools }))
    profile = JSON.parse(@probe.profiles.last)
    waiting = profile.select { |key, _| key.start_with?("waiting.") }
    assert_equal({"waiting.1.0" => "0:high=3 1:low=9"}, waiting)
  end

  def test_the_profile_names_a_few_unknown_variables
    open_session(PUMA, env: (1..9).to_h { |index| ["HOLDUP_WRONG#{index}", "x"] })
    unknown = JSON.parse(@probe.profiles.last).fetch("variables.unknown").split
    assert_equal MeasuringSession::MOST_UNKNOWN, unknown.size
    assert_equal ["HOLDUP_WRONG"], unknown.map { |name| name.delete("0-9") }.uniq
    refute JSON.parse(profile_without_variables).key?("variables.unknown")
  end

  def test_the_profile_names_methods_that_could_not_be_hooked
    open_session(PUMA)
    refute JSON.parse(@probe.profiles.last).key?("unhooked")
    %w[A#b C.d].each { |method| @guard.not_hooked(method, "there is no such method") }
    @session.tick
    assert_equal "A#b C.d", JSON.parse(@probe.profiles.last).fetch("unhooked")
  end

  def test_the_profile_names_methods_that_are_measured_by_notifications
    open_session(PUMA)
    refute JSON.parse(@probe.profiles.last).key?("notified")
    @guard.notified_instead("Store#instrument", "its class is frozen")
    @session.tick
    assert_equal "Store#instrument", JSON.parse(@probe.profiles.last).fetch("notified")
  end

  def test_gauges_of_server_and_resources_reach_the_segment
    @resources.add(resource(gauges: {connections_kept_ns: 9, redis_rtt_ns: 1}))
    open_session(PUMA.with(gauges: -> { {redis_rtt_ns: 7} }))
    @session.tick
    layout = Holdup::Segment::Layout::GAUGES
    assert_equal 7, @probe.ticks.last[layout.index(:redis_rtt_ns)]
    assert_equal 9, @probe.ticks.last[layout.index(:connections_kept_ns)]
  end

  def test_gauges_that_fail_are_unknown_and_the_tick_goes_on
    open_session(PUMA.with(gauges: -> { raise "no stats" }))
    @session.tick
    assert_equal [nil] * Holdup::Segment::Layout::GAUGE_SLOTS, @probe.ticks.last
    assert_includes @guard.failures.keys, :gauges
  end

  def test_closing_ticks_once_more_and_then_closes_the_segment
    open_session(PUMA)
    ticks = @probe.ticks.size
    @session.close
    assert_equal ticks + 1, @probe.ticks.size
    assert_equal %i[enable disable close], @probe.calls
  end

  def test_a_last_tick_that_fails_does_not_keep_the_segment_open
    open_session(PUMA)
    @probe.define_singleton_method(:tick) { |_| raise "no tick" }
    @session.close
    assert_equal %i[enable disable close], @probe.calls
    assert_match(/no tick/, @log.lines.join)
  end

  def test_a_known_server_gives_the_segment_its_worker
    open_session(Identity.new(name: "ruby"), generation: 3)
    @session.identify(PUMA)
    assert_equal [[2, 3]], @probe.identified
    assert_equal "puma", JSON.parse(@probe.profiles.last)["server"]
  end

  def test_ticks_again_once_the_process_serves_again
    @session = session.open(server: PUMA, generation: 0)
    assert wait_until { @probe.ticks.any? }
    @session.let_go
    @session.pause
    before = @probe.ticks.size
    @session.identify(PUMA)
    assert wait_until { @probe.ticks.size > before }
  end

  def test_a_session_that_was_not_opened_can_be_let_go_and_forked
    session = session()
    assert_nil session.let_go
    assert_nil session.before_fork
  end

  private

  ResourceFacts = Data.define(:facts, :pools, :gauges, :profile) do
    def install = nil
  end

  def resource(facts: {}, pools: [], gauges: {}, profile: {})
    ResourceFacts.new(facts:, pools:, gauges:, profile:)
  end

  def session(env: {}, **settings)
    configuration = Holdup::Configuration.build(env: {}) do |draft|
      {dir: folder, tick_seconds: 5, **settings}.each { |key, value| draft[key] = value }
    end
    MeasuringSession.new(configuration:, probe: @probe, guard: @guard, log: @log, env:, resources: @resources)
  end

  # Without its thread, so that only the test ticks.
  def open_session(server, generation: 0, **)
    @session = session(**).open(server:, generation:)
    @session.pause
  end

  def profile_without_variables
    @probe = RecordingProbe.new(enabled: false)
    open_session(PUMA)
    @probe.profiles.last
  end
end
