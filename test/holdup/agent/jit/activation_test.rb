# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit/activation"

class Holdup::Jit::ActivationTest < Minitest::Test
  # Like Ruby, it does not look again when it is about to start; other threads get a turn just there.
  class Api
    attr_reader :calls

    def initialize(enabled: false)
      @enabled = enabled
      @calls = []
    end

    def enabled?
      @enabled.tap { Thread.pass }
    end

    def enable(**options)
      @calls << options
      @enabled = true
    end
  end

  def test_once_for_all_threads
    api = Api.new
    enabling = Holdup::Jit::Activation.new(jit: api)
    results = Array.new(8) { Thread.new { enabling.call(mem_size: 64) } }.map(&:value)
    assert_equal [1, [{mem_size: 64}]], [results.count(true), api.calls]
  end

  def test_not_where_one_is_on
    jit = Api.new
    refute Holdup::Jit::Activation.new(jit:, other: Api.new(enabled: true)).call
    assert_empty jit.calls
    refute Holdup::Jit::Activation.new(jit: Api.new(enabled: true)).call
    refute Holdup::Jit::Activation.new(jit: nil).call
  end

  Rare = Struct.new(:name)

  def test_the_recommended_one_is_zjit_only_where_it_is_alone
    yjit, zjit = Api.new, Api.new
    assert_same yjit, Holdup::Jit.recommended(yjit:, zjit:)
    assert_same zjit, Holdup::Jit.recommended(yjit: nil, zjit:)
    assert_nil Holdup::Jit.recommended(yjit: nil, zjit: Rare.new("can't be switched on"))
    assert_nil Holdup::Jit.recommended(yjit: nil, zjit: nil)
  end
end
