# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::ZjitTest < Minitest::Test
  # What RubyVM::ZJIT of Ruby 4.0 answers.
  Api = Struct.new(:enabled?, :stats)

  def state(enabled, rubyopt = "", **deep)
    stats = {code_region_bytes: 5, zjit_alloc_bytes: 7, compiled_iseq_count: 3, failed_iseq_count: 1,
             compile_time_ns: 9, **deep}
    options = Holdup::Jit::RubyOptions.read(env: {"RUBYOPT" => rubyopt}, cmdline: "/nowhere")
    Holdup::Jit::Zjit.new(api: Api.new(enabled, stats), options:).state
  end

  def test_has_the_same_form
    assert_equal [:zjit, 5, 7, 3, 9, 1, 30],
      state(true).to_h.values_at(:kind, :code_bytes, :metadata_bytes, :compiled_iseqs, :compile_ns, :failures,
        :call_threshold)
    assert_equal [128 << 20, :total], state(true).limit.to_h.values_at(:bytes, :of)
    assert_equal [64 << 20, 5],
      [state(true, "--zjit-mem-size=64").limit.bytes, state(true, "--zjit-call-threshold=5").call_threshold]
    assert_equal [nil] * 3, state(true).to_h.values_at(:interpreted_instructions, :live_iseqs, :invalidations)
  end

  def test_its_warm_up
    assert_equal [3, nil, false],
      [state(true).entries, state(true, zjit_insn_count: 6).compiled_instructions, state(true).deep?]
    assert_equal [20, 80],
      state(true, vm_insn_count: 20, zjit_insn_count: 80).to_h.values_at(:interpreted_instructions,
        :compiled_instructions)
  end

  def test_off
    refute_predicate state(false), :enabled?
  end
end
