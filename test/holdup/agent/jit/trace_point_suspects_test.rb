# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::TracePointSuspectsTest < Minitest::Test
  PRELUDE = <<~RUBY
    $LOAD_PATH.unshift(#{File.expand_path("../../../../lib", __dir__).dump})
    require "holdup/model/clock"
    require "holdup/agent/guard"
    require "holdup/agent/jit"
  RUBY

  # What a process tells once YJIT is on.
  def suspects(loaded)
    fresh_ruby(<<~RUBY, prelude: PRELUDE, gems: true)
      #{loaded}
      clock, log = Holdup::Clock.new, Class.new { def warn(text) = puts(text) }.new
      guard = Holdup::Guard.new(log:, clock:)
      manager = Holdup::Jit::Manager.new(wish: -> { :on }, guard:, log:, clock:)
      manager.install
      loaded = Holdup::Jit::TracePointSuspects.loaded
      print [manager.facts["jit_effective"], manager.profile["jit.suspects"], loaded]
    RUBY
  end

  # The gem itself: to be loaded is enough for it to trace.
  def test_a_library_that_traces_is_named
    assert_equal '[false, "power_assert", ["power_assert"]]', suspects("require 'power_assert'")
  end

  def test_an_autoload_is_not_a_suspect
    assert_equal "[true, nil, []]", suspects("autoload :PowerAssert, 'power_assert'")
  end
end
