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

  # A class of connections as Active Record has it, with its method of that version.
  def adapter(parameters)
    pool = connection.pool
    Class.new do
      define_method(:initialize) { @pool = pool }
      attr_reader :logged, :pool

      def query(...) = log(...)

      class_eval("private def log(#{parameters}, &block) = (@logged = binding) && yield", __FILE__, __LINE__)
    end
  end

  # @return [Integer] how often the notifications are subscribed to
  def replace_log(adapter)
    subscribed = 0
    hook = Calls::ActiveRecord.new(@recorder)
    hook.define_singleton_method(:subscribe) { subscribed += 1 }
    hook.join(adapter)
    subscribed
  end

  LOGS = Calls::ActiveRecord::QueryLog::PARAMETERS.keys.freeze

  def test_queries_of_each_version_of_active_record_are_calls
    LOGS.each do |parameters|
      adapter = adapter(parameters)
      before = adapter.instance_method(:log).parameters
      assert_equal 0, replace_log(adapter)
      assert_equal before, adapter.instance_method(:log).parameters
      assert adapter.private_method_defined?(:log)
      one = adapter.new
      assert_equal 7, one.query("SELECT 1", "Order Load", [1], [2], async: true) { 7 }
      names = %i[sql name binds type_casted_binds async]
      assert_equal ["SELECT 1", "Order Load", [1], [2], true],
        names.map { |name| one.logged.local_variable_get(name) }
    end
    assert_equal [["sql primary", false]] * LOGS.size, @probe.called
  end

  def test_a_query_that_fails_or_is_left_is_a_failed_call
    one = adapter(LOGS.first).tap { |adapter| replace_log(adapter) }.new
    assert_raises(IOError) { one.query("SELECT 1") { raise IOError } }
    assert_equal(3, catch(:out) { one.query("SELECT 1") { throw :out, 3 } })
    assert_equal [["sql primary", true]] * 2, @probe.called
  end

  def test_the_database_of_a_pool_is_named_once
    adapter = adapter(LOGS.first).tap { |type| replace_log(type) }
    asked = 0
    pool = adapter.new.pool
    config = pool.db_config
    pool.define_singleton_method(:db_config) { (asked += 1) && config }
    2.times { adapter.new.query("SELECT 1") { 1 } }
    assert_equal [1, 2], [asked, @probe.called.size]
    assert_equal %i[@logged @pool], adapter.new.tap { |one| one.query("") { 1 } }.instance_variables.sort
  end

  def test_the_method_is_replaced_once
    adapter = adapter(LOGS.first)
    2.times { replace_log(adapter) }
    adapter.new.query("SELECT 1") { 1 }
    assert_equal 1, @probe.called.size
  end

  # Scout's way: with a prepended module the two would call each other without end.
  def test_another_gem_may_alias_the_method_later
    adapter = adapter(LOGS.first).tap { |type| replace_log(type) }
    adapter.class_eval do
      alias_method :log_without_apm, :log
      define_method(:log) { |*args, **options, &block| log_without_apm(*args, **options, &block) }
    end
    assert_equal 7, adapter.new.query("SELECT 1") { 7 }
    assert_equal 1, @probe.called.size
  end

  def test_a_method_that_is_not_known_is_left_alone_and_notifications_tell_of_queries
    prepended = adapter(LOGS.first).prepend(Module.new { def log(*) = super })
    [adapter("sql, name = nil"), Class.new, prepended].each do |adapter|
      before = adapter.private_instance_methods
      assert_equal 1, replace_log(adapter)
      assert_equal before, adapter.private_instance_methods
    end
  end

  # A class of caches as Active Support has it.
  def cache(name, **parameters)
    parameters = {key: "key", keys: "keys"}.merge(parameters)
    Class.new do
      define_singleton_method(:name) { name }
      def read(...) = instrument(...)

      def read_several(...) = instrument_multi(...)

      class_eval(<<~RUBY, __FILE__, __LINE__ + 1)
        private def instrument(operation, #{parameters[:key]}, options = nil, &block) = block.call(options)
        private def instrument_multi(operation, #{parameters[:keys]}, options = nil, &block)
          block.call(options)
        end
      RUBY
    end
  end

  def test_caches_outside_of_the_process_are_calls
    %w[ActiveSupport::Cache::RedisCacheStore ActiveSupport::Cache::MemoryStore].each do |name|
      store = cache(name)
      2.times { Calls::Cache.new(@recorder).join(store) }
      assert_equal({amount: 2}, store.new.read(:increment, "a", amount: 2, &:itself))
      assert_equal 7, store.new.read_several(:read_multi, %w[a b]) { 7 }
      assert_raises(IOError) { store.new.read(:read, "a") { raise IOError } }
    end
    assert_equal [false, false, true].map { |error| ["cache RedisCacheStore", error] }, @probe.called
  end

  # In it runs the application's block.
  def test_what_makes_a_missing_entry_is_no_call_to_a_cache
    store = cache("Shop::Cache").tap { |type| Calls::Cache.new(@recorder).join(type) }
    assert_equal 7, store.new.read(:generate, "a") { 7 }
    assert_empty @probe.called
  end

  def test_a_cache_of_other_methods_is_left_alone_and_notifications_tell_of_it
    hook = Calls::Cache.new(@recorder)
    store = cache("Shop::Cache", keys: "names")
    subscribed = 0
    hook.define_singleton_method(:subscribe) { subscribed += 1 }
    assert_equal [1, %i[instrument instrument_multi]],
      [hook.join(store), store.private_instance_methods(false).sort]
    %w[ActiveSupport::Cache::RedisCacheStore ActiveSupport::Cache::MemoryStore].each do |name|
      hook.start("cache_read.active_support", "id", {store: name})
      hook.finish("cache_read.active_support", "id", {store: name})
    end
    assert_equal [["cache RedisCacheStore", false], [nil, false]], @probe.called
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
