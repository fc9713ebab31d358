# frozen_string_literal: true

require "test_helper"
require "holdup/clock"
require "holdup/guard"
require "holdup/servers/async_container"
require "holdup/servers/good_job"
require "holdup/servers/pitchfork"
require "holdup/servers/preforking"
require "holdup/servers/solid_queue"

# What stands in front of a server's own methods must not be what breaks a later version of it, whose methods take more.
class Holdup::Servers::HooksTest < Minitest::Test
  Servers = Holdup::Servers
  MODULES = [Servers::AsyncContainer::Booting, Servers::GoodJob::Capsule, Servers::GoodJob::Supervisor, Servers::Pitchfork::Reforking,
    Servers::Preforking::Hooks, Servers::SolidQueue::SupervisorHooks, Servers::SolidQueue::WorkerHooks].freeze

  def test_further_arguments_go_through
    strict = MODULES.flat_map { |type| methods_of(type.new(nil)).reject { |method| (%i[rest keyrest] - method.parameters.map(&:first)).empty? } }
    assert_empty strict.map(&:inspect)
  end

  # A supervisor of a later Solid Queue, as far as it goes: its configuration is called something else.
  def test_what_solid_queue_does_not_have_is_our_trouble_only
    log = CollectedLog.new
    runtime = Struct.new(:guard).new(Holdup::Guard.new(log:, clock: Holdup::Clock.new))
    supervisor = Class.new { def start(mode) = "started #{mode}" }
    supervisor.prepend(Servers::SolidQueue::SupervisorHooks.new(Servers::SolidQueue.new(runtime:)))
    assert_equal "started fork", supervisor.new.start("fork")
    refute_empty log.lines
  end

  private

  def methods_of(hooks) = (hooks.instance_methods(false) + hooks.private_instance_methods(false) - [:initialize]).map { |name| hooks.instance_method(name) }
end
