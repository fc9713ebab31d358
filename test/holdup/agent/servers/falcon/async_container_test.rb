# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/servers/falcon"

class Holdup::Servers::AsyncContainerTest < Minitest::Test
  AsyncContainer = Holdup::Servers::AsyncContainer
  SLOTS = AsyncContainer::WorkerSlots.new(Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new))

  # As Async::Container::Forked: a block for each slot, called again when its child is restarted.
  class Container
    class << self
      def multiprocess? = true
    end

    attr_reader :options

    def initialize
      @blocks = []
    end

    def spawn(name: nil, **options, &block)
      @options = {name:, **options}
      @blocks << block
      :child
    end

    # Each child has a first fiber of its own.
    def run(index, *arguments, **options)
      Fiber.new(storage: {}) { @blocks.fetch(index).call(*arguments, **options) }.resume
    end
  end

  class ForkedContainer < Container
    SLOTS.install(self)
  end

  class ThreadedContainer < Container
    SLOTS.install(self)

    def self.multiprocess? = false
  end

  # An older one does not have the method.
  class UnknownContainer < Container
    class << self
      undef_method :multiprocess?
    end
    SLOTS.install(self)
  end

  FalconRuntime = Data.define(:guard, :calls) do
    def wait_for_server = calls << :wait_for_server

    def start_collector = calls << :start_collector
  end

  def test_numbers_the_slots_of_each_service
    container = ForkedContainer.new
    %w[web web jobs].each { |name| container.spawn(name:) { place } }
    container.spawn { place }
    slots = Array.new(4) { |index| container.run(index) }
    assert_equal ["web", "web", "jobs", nil], slots.map(&:service)
    assert_equal [0, 1, 0, 0], slots.map(&:index)
  end

  def test_a_restarted_child_keeps_its_number
    container = ForkedContainer.new
    2.times { container.spawn(name: "web") { place } }
    first = container.run(0)
    container.run(1)
    assert_equal first, container.run(0)
  end

  def test_containers_number_their_slots_apart
    slots = Array.new(2) do
      container = ForkedContainer.new
      container.spawn(name: "web") { place }
      container.run(0)
    end
    assert_equal [0, 0], slots.map(&:index)
  end

  def test_fibers_of_the_child_inherit_its_place
    container = ForkedContainer.new
    container.spawn(name: "web") { Fiber.new { place }.resume }
    assert_equal 0, container.run(0).index
  end

  def test_arguments_and_the_value_pass_through
    container = ForkedContainer.new
    child = ->(*all, **more) { [all, more] }
    value = container.spawn(name: "web", restart: true, health_check_timeout: 5, &child)
    assert_equal :child, value
    assert_equal({name: "web", restart: true, health_check_timeout: 5}, container.options)
    assert_equal [[:instance], {key: 1}], container.run(0, :instance, key: 1)
  end

  def test_threads_have_no_slots
    [ThreadedContainer, UnknownContainer].each do |kind|
      container = kind.new
      container.spawn(name: "web", restart: true) { place }
      assert_nil container.run(0), kind.name
      assert_equal({name: "web", restart: true}, container.options)
    end
  end

  def test_the_process_of_falcon_waits_for_its_workers_and_then_has_the_collector
    run_as("/usr/local/bin/falcon") do |container, calls|
      container.starting
      assert_equal [:wait_for_server], calls
      container.booted
      assert_equal %i[wait_for_server start_collector], calls
    end
  end

  # Its controller runs something else in containers.
  def test_another_program_is_left_alone
    run_as("bin/jobs") do |container, calls|
      container.starting
      container.booted
      assert_empty calls
    end
  end

  def test_programs_of_falcon
    programs = {"falcon" => true, "/x/falcon-host" => true, "falconry" => false, "puma" => false}
    programs.each { |name, expected| run_as(name) { assert_equal expected, AsyncContainer.here?, name } }
  end

  def test_a_failure_of_ours_does_not_stop_falcon
    run_as("falcon", nil) do |container, log|
      container.starting
      assert_match(/falcon/, log.lines.join)
    end
  end

  private

  def place = Fiber[AsyncContainer::PLACE]

  # @param calls [Array, nil] of the runtime; nil: it fails, and the log is given instead
  def run_as(program, calls = [])
    name = $PROGRAM_NAME
    $PROGRAM_NAME = program
    log = CollectedLog.new
    guard = Holdup::Guard.new(log:, clock: HandClock.new)
    container = AsyncContainer.new(runtime: FalconRuntime.new(guard:, calls:))
    yield container, calls || log
  ensure
    $PROGRAM_NAME = name
  end
end
