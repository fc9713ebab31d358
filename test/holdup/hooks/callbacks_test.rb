# frozen_string_literal: true

require "test_helper"
require "holdup/model/clock"
require "holdup/agent/guard"
require "holdup/agent/servers"
require "holdup/agent/servers/solid_queue"
require "holdup/hooks/callbacks"

# What stands in front of a server's own methods must not be what breaks a later version of it, whose methods
# take more.
class Holdup::Hooks::CallbacksTest < Minitest::Test
  def setup
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    @calls = []
  end

  def install(type, **callbacks)
    Holdup::Hooks::Callbacks.install(type, by: :server, guard: @guard, **callbacks)
  end

  def server
    Class.new do
      def run(*arguments, **options, &block) = [arguments, options, block&.call]

      def fails = raise(IOError)

      private

      def boot = :booted
    end
  end

  def test_passes_arguments_and_results_through
    type = server
    install(type,
      before: {run: ->(one, *arguments) { @calls << [:before, one.class, *arguments] }},
      after: {run: ->(_, first, *) { @calls << [:after, first] }})
    assert_equal [[1, {a: 2}], {b: 3}, 4], type.new.run(1, {a: 2}, b: 3) { 4 }
    assert_equal [[:before, type, 1, {a: 2}], [:after, 1]], @calls
  end

  def test_what_was_private_stays_private
    type = server
    install(type, after: {boot: ->(*) { @calls << 1 }})
    assert_raises(NoMethodError) { type.new.boot }
    assert_equal :booted, type.new.send(:boot)
    assert_equal [1], @calls
  end

  def test_a_method_that_raises_is_not_over
    type = server
    install(type, before: {fails: ->(*) { @calls << :before }}, after: {fails: ->(*) { @calls << :after }})
    assert_raises(IOError) { type.new.fails }
    assert_equal [:before], @calls
  end

  def test_a_callback_that_fails_does_not_reach_the_server
    type = server
    install(type, before: {boot: ->(*) { raise "before" }}, after: {boot: ->(_, missing) { missing }})
    assert_equal :booted, type.new.send(:boot)
    assert_equal({server: 2}, @guard.failures)
  end

  def test_a_class_that_ruby_has_only_begun_to_read_is_hooked_before_its_first_object_is_made
    type = Class.new(Class.new { def boot = :inherited })
    install(type, before: {boot: ->(*) { @calls << :before }, run: ->(*) { @calls << :run }})
    type.class_eval do
      def initialize(name) = @name = name

      def run = @name

      private

      def boot = :"booted_#{@name}"
    end
    assert_equal [:one, :two], [type.new(:one).run, type.new(:two).run]
    assert_equal :booted_one, type.new(:one).send(:boot)
    assert_raises(NoMethodError) { type.new(:one).boot }
    assert_equal %i[run run before], @calls
    assert_empty @log.lines
  end

  def test_a_module_that_ruby_has_only_begun_to_read_is_hooked_when_it_is_first_included
    handler = Module.new
    install(handler, after: {config: ->(*) { @calls << :after }})
    handler.define_method(:config) { |app| app }
    user = Module.new { class << self; self end.include(handler) }
    assert_equal :app, user.config(:app)
    assert_equal [:after], @calls
  end

  def test_a_method_that_a_later_version_has_renamed_is_said_once
    type = server
    2.times { install(type, before: {launch: ->(*) { @calls << 1 }}) }
    assert_equal 1, @log.lines.size
    assert_match(/#launch, .*: there is no such method/, @log.lines.first)
  end

  # A supervisor of a later Solid Queue, as far as it goes: its configuration is called something else.
  def test_what_solid_queue_does_not_have_is_our_trouble_only
    runtime = Struct.new(:guard).new(@guard)
    supervisor = Class.new { def start(mode) = "started #{mode}" }
    Holdup::Servers::SolidQueue.new(runtime:).hook_supervisor(supervisor)
    assert_equal "started fork", supervisor.new.start("fork")
    refute_empty @log.lines
  end
end
