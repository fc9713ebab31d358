# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::ActivationOriginTest < Minitest::Test
  NOW_NS = HandClock.new.realtime_ns
  ON = Holdup::Jit::Snapshot.new(kind: :yjit, active_ns: 1000)
  OFF = Holdup::Jit::Snapshot.new

  def origin(rubyopt: "", rails: false, version: "3.4.5")
    options = Holdup::Jit::RubyOptions.read(env: {"RUBYOPT" => rubyopt}, cmdline: "/nowhere")
    Holdup::Jit::ActivationOrigin.new(options:, clock: HandClock.new,
      version: Holdup::RubyVersion.parse(version), rails: -> { rails })
  end

  def facts_of(origin)
    [origin.by, origin.at, origin.on_in_parent]
  end

  def test_off
    origin = origin()
    origin.observe(OFF)
    assert_equal [nil, nil, nil, nil], [*facts_of(origin), origin.since_ns]
  end

  def test_with_ruby_itself
    origin = origin(rubyopt: "--yjit")
    origin.observe(ON)
    assert_equal ["RUBYOPT", :boot, nil], facts_of(origin)
    origin.after_fork(ON)
    assert_equal ["RUBYOPT", :boot, true], facts_of(origin)
  end

  def test_by_holdup_in_a_worker_and_in_what_that_forks
    origin = origin()
    origin.after_fork(OFF)
    origin.enabled_by_us({})
    origin.observe(ON)
    assert_equal ["holdup", :process, false, NOW_NS], [*facts_of(origin), origin.since_ns]
    origin.after_fork(ON)
    assert_equal ["holdup", :parent, true], facts_of(origin)
  end

  def test_by_the_application_in_the_master
    origin = origin()
    origin.after_fork(ON)
    assert_equal ["application", :parent, true, NOW_NS - 1000], [*facts_of(origin), origin.since_ns]
  end

  def test_by_rails
    inside = origin(rails: true)
    before = origin(rails: true)
    inside.observe(ON)
    before.after_fork(ON)
    assert_equal [["rails", :process, nil], ["rails", :parent, true]], [facts_of(inside), facts_of(before)]
  end

  def given(**options)
    origin(version: "4.0.0", **options).tap { |origin| origin.observe(ON) }.enable_arguments
  end

  def test_arguments_that_enable_was_called_with
    assert_equal({mem_size: 64}, given(rails: {mem_size: 64, stats: true}))
    assert_equal [{}, {}], [given(rails: true), given(rubyopt: "--yjit")]
    assert_nil given, "only the application knows"
    origin = origin(rails: {mem_size: 64})
    origin.observe(ON)
    assert_empty origin.enable_arguments, "3.4 takes nothing"
    ours = origin(version: "4.0.0")
    ours.enabled_by_us({mem_size: 32})
    ours.after_fork(ON)
    assert_equal({mem_size: 32}, ours.enable_arguments)
  end
end
