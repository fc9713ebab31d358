# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::YjitTest < Minitest::Test
  # Loads neither the probe nor the helpers.
  LIB_ONLY = "$LOAD_PATH.unshift(#{File.expand_path("../../../../lib", __dir__).dump})\n"

  MIB = 1 << 20
  V33 = {
    inline_code_size: 1,
    outlined_code_size: 1,
    code_region_size: 9 * MIB,
    yjit_alloc_size: 20 * MIB,
    vm_insns_count: 500,
    live_iseq_count: 41_000,
    code_gc_count: 0,
    compiled_iseq_entry: 8,
    compiled_iseq_count: 7000,
    compile_time_ns: 123,
    object_shape_count: 4
  }.freeze
  V34 = {
    **V33,
    yjit_active_ns: 77,
    compilation_failure: 0,
    invalidation_count: 5,
    invalidate_method_lookup: 2,
    invalidate_constant_state_bump: 3
  }.freeze
  V40 = {**V34, invalidate_everything: 1}.freeze

  # What RubyVM::YJIT answers where the test can't run.
  Api = Struct.new(:runtime_stats) do
    def enabled? = !!runtime_stats
  end

  def options(rubyopt = "", env = {})
    Holdup::Jit::RubyOptions.read(env: {"RUBYOPT" => rubyopt, **env}, cmdline: "/nowhere")
  end

  def yjit(stats, version, rubyopt = "", given: {})
    Holdup::Jit::Yjit.new(api: Api.new(stats), version: Holdup::RubyVersion.parse(version),
      options: options(rubyopt), given:)
  end

  def test_ruby_3_3
    state = yjit(V33, "3.3.8").state
    assert_equal [:yjit, 9 * MIB, 20 * MIB, 7000, 41_000, 123, 500, 0],
      state.to_h.values_at(:kind, :code_bytes, :metadata_bytes, :compiled_iseqs, :live_iseqs, :compile_ns,
        :interpreted_instructions, :code_gcs)
    assert_equal [nil] * 4, state.to_h.values_at(:invalidations, :failures, :active_ns, :ratio_in_yjit)
    assert_equal [48 * MIB, :code], [state.limit.bytes, state.limit.of]
    assert_equal (29 * MIB * 1.3).round, state.real_bytes
  end

  def test_ruby_3_4
    state = yjit(V34, "3.4.5").state
    assert_equal [{method_lookup: 2, constant_state_bump: 3}, 5, 0, 77],
      [state.invalidations, state.invalidated, state.failures, state.active_ns]
    assert_equal [128 * MIB, :total, 500], [state.limit.bytes, state.limit.of, state.interpreted_instructions]
  end

  def test_ruby_4_0
    state = yjit(V40, "4.0.0", given: {mem_size: 64, call_threshold: 50}).state
    assert_nil state.interpreted_instructions
    assert_equal [1, 64 * MIB, "enable", 50],
      [state.invalidations[:everything], state.limit.bytes, state.limit.source, state.call_threshold]
    assert_equal 500, yjit(V40.merge(ratio_in_yjit: 90.0), "4.0.0").state.interpreted_instructions
  end

  def test_what_only_the_application_knows
    state = yjit(V40, "4.0.0", given: nil).state
    assert_equal [nil] * 3, [state.limit, state.call_threshold, state.saturated?]
    assert_equal 9 * MIB, state.code_bytes
  end

  def test_off
    state = yjit(nil, "3.4.5").state
    refute_predicate state, :enabled?
    assert_equal [nil] * 3, [state.real_bytes, state.saturated?, state.invalidated]
  end

  def test_where_the_limit_comes_from
    limits = {
      ["3.3.0", ""] => [64, :code],
      ["3.3.1", "--yjit-exec-mem-size=4"] => [4, :code],
      ["3.3.8", "--yjit-mem-size=7"] => [48, :code],
      ["3.4.1", "--yjit-mem-size=64"] => [64, :total],
      ["3.4.1", "--yjit-exec-mem-size=16"] => [16, :code]
    }
    limits.each do |(version, rubyopt), expected|
      limit = yjit(V33, version, rubyopt).limit
      assert_equal [expected.first * MIB, expected.last], [limit.bytes, limit.of], version
    end
    assert_equal ["RUBYOPT", "assumed default"],
      [yjit(V33, "3.3.8", "--yjit-exec-mem-size=4"), yjit(V33, "3.3.8")].map { |each| each.limit.source }
  end

  def test_the_threshold_that_applies
    assert_equal 120, yjit(V33, "3.3.8").state.call_threshold
    assert_equal 30, yjit(V33.merge(live_iseq_count: 40_000), "3.3.8").state.call_threshold
    assert_equal [120, 31],
      [30, 31].map { |set| yjit(V33, "3.4.5", "--yjit-call-threshold=#{set}").state.call_threshold }
  end

  def test_the_ratio_is_true_only_when_yjit_was_on_from_the_start
    counted = V34.merge(ratio_in_yjit: 97.5)
    assert_equal [97.5, nil],
      ["--yjit-stats",
        "--yjit-stats --yjit-disable"].map { |rubyopt| yjit(counted, "3.4.5", rubyopt).state.ratio_in_yjit }
  end

  def test_deep_statistics
    deep = yjit(V34.merge(yjit_insns_count: 900, side_exit_count: 20), "3.4.5").state
    assert_equal [true, 880], [deep.deep?, deep.compiled_instructions]
    refute_predicate yjit(V34, "3.4.5").state, :deep?
  end

  def test_full
    full_code = V33.merge(code_region_size: 4 * MIB)
    assert_predicate yjit(full_code, "3.3.8", "--yjit-exec-mem-size=4").state, :saturated?
    refute_predicate yjit(full_code, "3.3.8", "--yjit-exec-mem-size=5").state, :saturated?
    assert_predicate yjit(V34, "3.4.5", "--yjit-mem-size=29").state, :saturated?
    refute_predicate yjit(V34, "3.4.5", "--yjit-mem-size=31").state, :saturated?
  end

  def test_this_ruby
    output = fresh_ruby(<<~RUBY, options: ["--yjit"], prelude: LIB_ONLY)
      require "holdup/agent/jit"
      def work(n) = n.zero? ? 0 : work(n - 1)
      100.times { work(100) }
      version = Holdup::RubyVersion.here
      options = Holdup::Jit::RubyOptions.read
      state = Holdup::Jit::Yjit.new(api: RubyVM::YJIT, version:, options:).state
      figures = state.to_h.slice(:code_bytes, :metadata_bytes, :compiled_iseqs, :live_iseqs, :compile_ns)
      print figures.values.map(&:positive?).uniq, state.limit.source, state.saturated?
    RUBY
    assert_equal "[true]defaultfalse", output
  end
end
