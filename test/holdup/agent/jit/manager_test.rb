# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/jit"

class Holdup::Jit::ManagerTest < Minitest::Test
  # Loads neither the probe nor the helpers.
  LIB_ONLY = "$LOAD_PATH.unshift(#{File.expand_path("../../../../lib", __dir__).dump})\n"

  Api = Struct.new(:enabled) do
    def enabled? = enabled

    def enable(**options)
      self.enabled = options
    end

    def runtime_stats
      STATS if enabled
    end
  end
  STATS = {
    code_region_size: 100,
    yjit_alloc_size: 200,
    compiled_iseq_count: 3,
    compiled_iseq_entry: 9,
    compile_time_ns: 4,
    live_iseq_count: 5,
    invalidate_everything: 1,
    invalidate_method_lookup: 2,
    invalidate_constant_state_bump: 3,
    compilation_failure: 6,
    code_gc_count: 7
  }.freeze

  def setup
    @log = CollectedLog.new
    @api = Api.new
  end

  def manager(wish, version: "4.0.0", yjit: @api, rubyopt: "", clock: HandClock.new, zjit: nil, **options)
    Holdup::Jit::Manager.new(
      wish: -> { wish },
      guard: Holdup::Guard.new(log: @log, clock:),
      log: @log,
      clock:,
      yjit:,
      zjit:,
      options: Holdup::Jit::RubyOptions.read(env: {"RUBYOPT" => rubyopt}, cmdline: "/nowhere"),
      version: Holdup::RubyVersion.parse(version),
      effectiveness: ->(state) { false if state.call_threshold },
      **options
    )
  end

  def test_leaves_it_alone
    manager = manager(nil)
    manager.install
    refute_predicate @api, :enabled?
    assert_equal ["off", nil], manager.facts.values_at("jit", "jit_by")
    assert_equal({"jit.kind" => "off", "jit.available" => true}, manager.profile)
    assert_equal [0, nil], manager.gauges.values_at(:jit_enabled, :jit_code_bytes)
  end

  def test_switches_it_on_at_the_first_look
    manager = manager({after: :boot, mem_size: 64})
    manager.install
    assert_equal({mem_size: 64}, @api.enabled)
    assert_equal ["yjit", "holdup", false], manager.facts.values_at("jit", "jit_by", "jit_effective")
    assert_equal ["on", "process", "enable", "total"],
      manager.profile.values_at("jit.wish", "jit.at", "jit.limit_from", "jit.limit_of")
    assert_equal 1, manager.gauges[:jit_enabled]
    assert_equal 100, manager.gauges[:jit_code_bytes]
    assert_equal 200, manager.gauges[:jit_alloc_bytes]
    assert_equal 5, manager.gauges[:jit_live_iseqs]
    assert_equal 64 << 20, manager.gauges[:jit_limit_bytes]
    assert_equal 0, manager.gauges[:jit_saturated]
    assert_equal 6, manager.gauges[:jit_invalidations]
    assert_equal 9, manager.profile["jit.entries"]
    assert_equal [6, 7, 5], manager.gauges.values_at(:jit_failures, :jit_code_gcs, :jit_redefined)
    assert_empty @log.lines
  end

  def test_only_at_the_first_look
    manager = manager(:on)
    manager.install
    @api.enabled = nil
    manager.install
    refute_predicate @api, :enabled?
  end

  def test_limits_that_the_application_has_passed_are_not_known
    @api.enabled = {mem_size: 5}
    manager = manager({mem_size: 64})
    manager.install
    assert_equal ["application", "unknown", nil, nil, nil],
      manager.profile.values_at("jit.by", "jit.limit_from", "jit.limit_of", "jit.threshold",
        "jit.ratio_in_yjit")
    assert_equal [1, nil, nil], manager.gauges.values_at(:jit_enabled, :jit_limit_bytes, :jit_saturated)
    assert_nil manager.facts["jit_effective"]
  end

  def test_a_fork_looks_again_and_says_where_it_came_from
    manager = manager(:on)
    manager.after_fork
    manager.install
    assert_equal %w[off process], manager.profile.values_at("jit.parent", "jit.at")
    assert_equal GC.stat(:compact_count).positive?, manager.profile["jit.prepared"]
    manager.after_fork
    manager.install
    assert_equal %w[on parent holdup], manager.profile.values_at("jit.parent", "jit.at", "jit.by")
  end

  def test_says_what_this_ruby_takes_only_when_it_starts
    api = Api.new
    manager = manager({mem_size: 64}, version: "3.4.5", yjit: api,
      rubyopt: "--yjit-disable --yjit-mem-size=32 --yjit-call-threshold=9999")
    manager.install
    assert_equal({}, api.enabled)
    assert_equal "--yjit-disable --yjit-mem-size=64", manager.profile["jit.rubyopt"]
    assert_match(/takes these options only when it starts: RUBYOPT="--yjit-disable --yjit-mem-size=64"/,
      @log.lines.first)
  end

  def test_the_arm_with_deep_statistics
    [0.2, 0.3].each do |chance|
      @api = Api.new
      manager({stats: :quiet, stats_share: 0.25}, chance: -> { chance }).install
      assert_equal((chance < 0.25) ? {stats: :quiet} : {}, @api.enabled)
    end
    assert_empty @log.lines
  end

  def test_no_deep_statistics_when_yjit_was_on_already
    @api.enabled = {}
    manager = manager({stats: :quiet, stats_share: 1})
    manager.install
    assert_nil manager.facts["jit_stats"]
    assert_match(/YJIT was on already.*RUBYOPT="--yjit-disable --yjit-stats=quiet"/, @log.lines.first)
  end

  def test_deep_statistics_of_this_ruby
    output = fresh_ruby(<<~RUBY, prelude: LIB_ONLY)
      require "holdup/model/clock"
      require "holdup/agent/guard"
      require "holdup/agent/jit"
      clock, log = Holdup::Clock.new, Class.new { def warn(text) = puts(text) }.new
      guard = Holdup::Guard.new(log:, clock:)
      manager = Holdup::Jit::Manager.new(wish: -> { {stats: :quiet, stats_share: 1} }, guard:, log:, clock:)
      manager.install
      before = manager.gauges
      def work(n) = n.zero? ? 0 : work(n - 1)
      5000.times { work(100) }
      manager.install
      after = manager.gauges
      # Not every Ruby counts what the interpreter runs.
      grown = ->(key) { after[key] ? after[key] - before[key] : 0 }
      print manager.facts.values_at("jit_stats", "jit_effective")
      print grown[:jit_compiled_instructions] > 10 * grown[:jit_interpreted_instructions]
    RUBY
    assert_equal '["on", nil]true', output, "with statistics the effect is not known"
  end

  # Ruby would refuse: only one JIT can be on.
  def test_with_zjit_on_it_says_what_keeps_yjit_off
    zjit = Struct.new(:enabled?, :stats).new(true, {})
    manager = manager({stats: :quiet, stats_share: 1}, zjit:)
    2.times { manager.install }
    refute_predicate @api, :enabled?
    assert_equal 1, @log.lines.size
    assert_match(/ZJIT is on, so config.jit can't switch YJIT on.*remove --zjit or RUBY_ZJIT_ENABLE/,
      @log.lines.first)
  end

  # RubyVM::ZJIT of a Ruby that was built without YJIT.
  class LoneZjit
    def enabled? = !!@on

    def enable = @on = true

    def stats = {code_region_bytes: 5, zjit_alloc_bytes: 7}
  end

  def test_where_zjit_is_alone_it_is_switched_on
    manager = manager({mem_size: 64}, yjit: nil, zjit: LoneZjit.new)
    manager.install
    assert_equal %w[zjit holdup], manager.facts.values_at("jit", "jit_by")
    assert_equal "--zjit-disable --zjit-mem-size=64", manager.profile["jit.rubyopt"]
    assert_equal ["Ruby #{RUBY_VERSION} takes these options only when it starts: " \
      "RUBYOPT=\"--zjit-disable --zjit-mem-size=64\""], @log.lines.map { |line| line[/Ruby .*/] }
  end

  def test_a_ruby_without_yjit
    manager = manager(:on, yjit: nil)
    manager.install
    assert_equal ["off", false], [manager.facts["jit"], manager.profile["jit.available"]]
    assert_match(/has no JIT/, @log.lines.first)
  end

  def test_in_this_ruby
    output = fresh_ruby(<<~RUBY, prelude: LIB_ONLY)
      require "holdup/model/clock"
      require "holdup/agent/guard"
      require "holdup/agent/jit"
      log = Class.new { def warn(text) = puts(text) }.new
      class ClockAhead < Holdup::Clock
        attr_accessor :ahead_ns

        def monotonic_ns = super + ahead_ns.to_i
      end
      clock = ClockAhead.new
      guard = Holdup::Guard.new(log:, clock:)
      manager = Holdup::Jit::Manager.new(wish: -> { :on }, guard:, log:, clock:)
      manager.install
      age_s = (clock.realtime_ns - manager.gauges[:jit_enabled_ns]) / 1e9
      print manager.facts.values_at("jit", "jit_by", "jit_effective")
      print manager.gauges[:jit_code_bytes].positive?, age_s.between?(0, 60)
      TracePoint.new(:c_call) { nil }.enable { 1 }
      clock.ahead_ns = 60_000_000_000
      manager.install
      print manager.facts["jit_effective"]
    RUBY
    assert_equal '["yjit", "holdup", true]truetruefalse', output
  end
end
