# frozen_string_literal: true

require "test_helper"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/calls"

class Holdup::Instrumentation::LibraryHookTest < Minitest::Test
  Calls = Holdup::Instrumentation::Calls
  # Numbers kinds as they come, and fails for what can't be named.
  class Kinds
    attr_reader :guard, :asked

    def initialize(log)
      @guard = Holdup::Guard.new(log:, clock: Holdup::Clock.new)
      @asked = []
    end

    def call_edges = nil

    def call_kind(name)
      raise ArgumentError, "no name" if name.include?("\0")
      @asked << name
      @asked.size
    end
  end

  # Hooks two methods of a class, together.
  class Pair < Calls::LibraryHook
    def install_in(owner, *names)
      install_together(names.map { |name| call_hook(owner, name) { "1" } })
    end
  end

  def recorder = @recorder ||= Kinds.new(@log = CollectedLog.new)

  def host_hook = @host_hook ||= Calls::HostHook.new(recorder)

  def test_the_kind_of_a_host_is_made_once
    kinds = Array.new(2) { host_hook.kind_of("http", "api.example") }
    assert_equal [1, 1], kinds
    assert_equal ["http api.example"], recorder.asked
    assert_equal 2, host_hook.kind_of("http", "")
    assert_equal "http", recorder.asked.last, "a host that is not known"
  end

  # A program may call hosts without end; the table must not grow with them.
  def test_hosts_beyond_the_first_hundred_are_not_remembered
    101.times { |index| host_hook.kind_of("http", "host-#{index}") }
    assert_equal 103, host_hook.kind_of("http", "host-100") + 1, "it is asked for again"
    assert_equal 1, host_hook.kind_of("http", "host-0")
  end

  # An application may change a string that it has given.
  def test_a_host_is_remembered_by_its_value
    host = +"one.example"
    host_hook.kind_of("http", host)
    host << ".org"
    assert_equal 2, host_hook.kind_of("http", host)
    assert_equal 1, host_hook.kind_of("http", "one.example")
  end

  def test_a_target_that_can_not_be_named_has_no_kind
    assert_nil host_hook.kind_of("http", "a\0b")
    assert_equal 1, @log.lines.size
  end

  def test_a_client_keeps_its_kind_unless_it_is_frozen
    client = Object.new
    assert_equal 7, host_hook.keep(client, 7)
    assert_equal 7, client.instance_variable_get(:@holdup_call_kind)
    assert_equal 7, host_hook.keep(Object.new.freeze, 7)
  end

  def library
    Class.new do
      def first = 1

      def second = 2
    end
  end

  # Half of a library would be misleading.
  def test_all_methods_of_a_library_are_hooked_or_none
    whole = library
    own = Array.new(2) { |index| whole.instance_method(%i[first second][index]) }
    Pair.new(recorder).install_in(whole, :first, :second)
    refute_equal own, %i[first second].map { |name| whole.instance_method(name) }
    half = library
    first = half.instance_method(:first)
    Pair.new(recorder).install_in(half, :first, :third)
    assert_equal first, half.instance_method(:first)
  end
end
