# frozen_string_literal: true

require "test_helper"
require "holdup/model/clock"
require "holdup/agent/guard"
require "holdup/agent/servers"
require "holdup/agent/servers/solid_queue"

# What stands in front of a server's own methods must not be what breaks a later version of it, whose methods
# take more.
class Holdup::Servers::MethodHookTest < Minitest::Test
  Hook = Holdup::Servers::MethodHook

  def server(**hook)
    hook = Hook.new(**hook)
    Class.new do
      prepend hook # before there is a body, as under `holdup exec`

      def run(*arguments, **options, &block)
        [arguments, options, block&.call]
      end

      private

      def boot = :booted
    end.new
  end

  def test_passes_arguments_and_results_through
    calls = []
    server = server(
      before: {run: ->(receiver, *arguments) {
        calls << [:before, receiver.class,
          *arguments]
      }}, after: {run: ->(_, first, *) { calls << [:after, first] }}
    )
    assert_equal [[1, {a: 2}], {b: 3}, 4], server.run(1, {a: 2}, b: 3) { 4 }
    assert_equal [[:before, server.class, 1, {a: 2}], [:after, 1]], calls
  end

  def test_what_was_private_stays_private
    calls = []
    server = server(after: {boot: ->(*) { calls << 1 }}, hidden: [:boot])
    assert_raises(NoMethodError) { server.boot }
    assert_equal [:booted, [1]], [server.send(:boot), calls]
  end

  def test_a_method_that_raises_is_not_over
    calls = []
    server = server(before: {fails: ->(*) { calls << :before }}, after: {fails: ->(*) { calls << :after }})
    server.class.define_method(:fails) { raise IOError }
    assert_raises(IOError) { server.fails }
    assert_equal [:before], calls
  end

  # A supervisor of a later Solid Queue, as far as it goes: its configuration is called something else.
  def test_what_solid_queue_does_not_have_is_our_trouble_only
    log = CollectedLog.new
    runtime = Struct.new(:guard).new(Holdup::Guard.new(log:, clock: Holdup::Clock.new))
    supervisor = Class.new { def start(mode) = "started #{mode}" }
    supervisor.prepend(Holdup::Servers::SolidQueue.new(runtime:).supervisor_hook)
    assert_equal "started fork", supervisor.new.start("fork")
    refute_empty log.lines
  end
end
