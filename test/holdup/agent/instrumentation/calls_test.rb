# frozen_string_literal: true

require "test_helper"
require "net/http"
require "holdup/agent/configuration"
require "holdup/agent/instrumentation/calls"
require "holdup/agent/recorder"

# What the hooks tell the probe; the libraries themselves are in test/integration/calls_test.rb.
class Holdup::Instrumentation::CallsTest < Minitest::Test
  Calls = Holdup::Instrumentation::Calls
  Pool = Struct.new(:db_config)
  Connection = Struct.new(:pool)

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @recorder = Holdup::Recorder.new(probe: @probe, guard: Holdup::Guard.new(log: @log, clock: HandClock.new))
  end

  def connection(name = "primary")
    Connection.new(Pool.new(Data.define(:name).new(name:)))
  end

  # @return [String, nil] what a query on it is counted as
  def kind_of_query(connection)
    @hook ||= Calls::ActiveRecord.new(@recorder).tap(&:subscribe)
    kind = @probe.kind_of_query.call(connection)
    kind && @probe.call_kinds.fetch(kind)
  end

  def test_a_query_is_a_call_to_its_database
    found = [connection, connection("animals")].map { |one| kind_of_query(one) }
    assert_equal ["sql primary", "sql animals"], found
  end

  def test_a_query_without_a_named_database
    assert_equal "sql", kind_of_query(connection(nil))
  end

  def test_a_connection_of_another_shape_does_not_reach_the_application
    assert_nil kind_of_query(Object.new)
    assert_match(/calls failed, the application is not affected/, @log.lines.join)
  end

  def test_caches_outside_of_the_process_are_calls
    cache = Calls::Cache.new(@recorder)
    %w[ActiveSupport::Cache::RedisCacheStore ActiveSupport::Cache::MemoryStore].each do |store|
      cache.start("cache_read.active_support", "id", {store:})
      cache.finish("cache_read.active_support", "id", {store:})
    end
    assert_equal ["cache RedisCacheStore", nil], @probe.called.map(&:first)
  end

  def test_a_block_is_a_call_also_when_it_raises
    library = Calls::LibraryHook.new(@recorder)
    kind = library.kind { "http api" }
    assert_equal 7, library.measure(kind) { 7 }
    assert_raises(IOError) { library.measure(kind) { raise IOError } }
    assert_equal [["http api", false], ["http api", true]], @probe.called
  end

  def test_a_target_that_can_not_be_named_does_not_reach_the_application
    library = Calls::LibraryHook.new(@recorder)
    assert_nil library.kind { raise "no host" }
    assert_equal 1, library.measure(nil) { 1 }
  end

  def test_hooks_into_what_is_wanted_and_loaded_once
    loaded = false
    installed = []
    libraries = %i[sql http].to_h do |name|
      library = Class.new(Calls::LibraryHook) do
        define_method(:loaded?) { loaded }
        define_method(:install) { installed << name }
      end
      [name, [library]]
    end
    calls = Calls.new(recorder: @recorder, wanted: -> { [:sql] }, libraries:)
    calls.install
    assert_empty installed
    loaded = true
    2.times { calls.install }
    assert_equal [:sql], installed
  end

  def test_net_http_has_the_methods_that_are_known
    Calls::NetHttp::SIGNATURES.each do |name, parameters|
      assert_equal parameters, Net::HTTP.instance_method(name).parameters, name
    end
  end

  def test_every_name_of_the_setting_has_a_library
    key = Holdup::ConfigurationKeys::ALL.find { |one| one.name == :calls }
    assert_equal key.type.choices.sort, Calls::LIBRARIES.keys.sort
  end
end
