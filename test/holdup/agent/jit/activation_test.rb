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
    enabling = Holdup::Jit::Activation.new(yjit: api)
    results = Array.new(8) { Thread.new { enabling.call(mem_size: 64) } }.map(&:value)
    assert_equal [1, [{mem_size: 64}]], [results.count(true), api.calls]
  end

  def test_not_where_one_is_on
    yjit = Api.new
    refute Holdup::Jit::Activation.new(yjit:, zjit: Api.new(enabled: true)).call
    assert_empty yjit.calls
    refute Holdup::Jit::Activation.new(yjit: Api.new(enabled: true)).call
    refute Holdup::Jit::Activation.new(yjit: nil).call
  end
end
