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

  LOGS = Calls::ActiveRecord::SIGNATURES

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
    reasons = @recorder.guard.notified.values
    assert_equal ["it takes other parameters than Holdup knows: (req sql, opt name, block block)",
      "another library has replaced it", "another library has replaced it"], reasons
    assert_empty @recorder.guard.unhooked
  end

  # As Active Record has it: BEGIN is sent by `materialize!`.
  def transaction_class
    connection = self.connection
    Class.new do
      attr_accessor :fails
      define_method(:connection) { connection }
      def materialized? = !!@materialized

      def materialize! = fails ? raise(IOError) : @materialized = true

      def commit = fails ? raise(IOError) : :committed

      def rollback = :rolled_back

      def restart = :restarted
    end
  end

  def transaction
    @hooked ||= transaction_class.tap { |type| Calls::ActiveRecord.new(@recorder).join_transactions(type) }
    @hooked.new
  end

  def test_a_transaction_lasts_from_begin_to_commit_or_rollback
    one = transaction
    assert_equal [true, :committed, :rolled_back], [one.materialize!, one.commit, one.rollback]
    assert_equal [["sql primary", :begin], ["sql primary", false], ["sql primary", true]], @probe.transactions
  end

  def test_a_transaction_whose_begin_fails_is_forgotten
    one = transaction.tap { |each| each.fails = true }
    assert_raises(IOError) { one.materialize! }
    assert_raises(IOError) { one.commit }
    assert_equal [:begin, nil, true], @probe.transactions.map(&:last)
  end

  def test_a_transaction_that_restarts_begins_anew_if_it_had_begun
    assert_equal :restarted, transaction.restart
    one = transaction.tap(&:materialize!)
    one.restart
    assert_equal [true, :begin, true, :begin], @probe.transactions.map(&:last)
  end

  def test_a_transaction_of_another_shape_is_left_alone
    type = Class.new { def commit(now) = now }
    Calls::ActiveRecord.new(@recorder).join_transactions(type)
    assert_equal 7, type.new.commit(7)
    assert_empty @probe.transactions
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
    assert_equal ["instrument_multi"], @recorder.guard.notified.keys.map { |title| title[/\w+\z/] }
    assert_equal [["cache RedisCacheStore", false], [nil, false]], @probe.called
  end

  # As the redis gem 4 has it.
  def test_commands_of_the_older_redis_gem_are_calls_to_its_database
    client = Class.new do
      def location = "r1:6379"

      def db = 2

      def process(commands) = yield(commands.first)
    end
    Calls::OldRedis.new(@recorder).join(client)
    assert_equal [:get, "a"], client.new.process([[:get, "a"]]) { |command| command }
    assert_raises(IOError) { client.new.process([[:get]]) { raise IOError } }
    assert_equal [["redis r1:6379/2", false], ["redis r1:6379/2", true]], @probe.called
  end

  # As an adapter of Active Job.
  class QueueAdapter
    attr_accessor :failure

    def enqueue(job) = failure ? raise(failure) : job

    def enqueue_at(job, timestamp) = [enqueue(job), timestamp]

    def enqueue_all(jobs) = jobs.each { |job| enqueue(job) }
  end

  # @param runner [String] that the adapter is named after
  # @return [Class]
  def adapter_of(runner, &body)
    Class.new(QueueAdapter, &body).tap { |type| type.define_singleton_method(:name) { "#{runner}Adapter" } }
  end

  # As Active Job's base class has it.
  class JobBase
    class << self
      attr_reader :_queue_adapter

      alias_method :descendants, :subclasses

      def queue_adapter=(adapter)
        assign_adapter("adapter", adapter)
      end

      private

      def assign_adapter(adapter_name, queue_adapter) = @_queue_adapter = queue_adapter
    end
  end

  # @return [Object] that adapter, once a job has got it
  def assigned(adapter)
    job = Class.new(JobBase)
    Calls::ActiveJobPushes.new(@recorder).join(job)
    job.queue_adapter = adapter
    assert_same adapter, job._queue_adapter
    adapter
  end

  def test_a_push_of_active_job_is_a_call_to_its_runner
    adapter = assigned(adapter_of("ActiveJob::QueueAdapters::SolidQueue").new)
    assert_equal :job, adapter.enqueue(:job)
    assert_equal [[:job, 60.0], [:job]], [adapter.enqueue_at(:job, 60.0), adapter.enqueue_all([:job])]
    adapter.failure = IOError
    assert_raises(IOError) { adapter.enqueue(:job) }
    # A push inside another one is a part of it, which the probe knows.
    assert_equal [false, false, false, false, false, true].map { |error| ["push SolidQueue", error] },
      @probe.called
  end

  def test_the_class_of_several_adapters_is_joined_once
    type = adapter_of("SolidQueue")
    hook = Calls::ActiveJobPushes.new(@recorder)
    Class.new(JobBase).tap { |job| hook.join(job) }.then do |job|
      2.times { job.queue_adapter = type.new }
      3.times { job._queue_adapter.enqueue(:job) }
    end
    assert_equal 3, @probe.called.size
    assert_equal(3, Holdup::Hooks::MethodHook.all.count { |one| one.owner.equal?(type) })
  end

  def test_an_adapter_that_jobs_got_before_and_one_that_is_frozen_or_a_module
    base = Class.new(JobBase)
    job = Class.new(base)
    base.queue_adapter = adapter_of("SolidQueue").new.freeze
    job.queue_adapter = Module.new do
      def self.name = "DelayedJobAdapter"

      def self.enqueue(job) = job
    end
    Calls::ActiveJobPushes.new(@recorder).join(base)
    [base, job].each { |type| assert_equal 7, type._queue_adapter.enqueue(7) }
    assert_equal [["push SolidQueue", false], ["push DelayedJob", false]], @probe.called
  end

  def test_a_job_that_stays_in_the_process_is_no_push
    adapters = %w[Async Inline Test].map { |runner| adapter_of(runner) }
    adapters << adapter_of("GoodJob::") { define_method(:execute_inline?) { true } }
    adapters.each { |type| assert_equal :job, assigned(type.new).enqueue(:job) }
    assert_empty @probe.called
  end

  # Where the block would end a call that is around the push, a call would be lost.
  def test_what_is_no_push_ends_no_call_around_it
    adapter = assigned(adapter_of("GoodJob::") { define_method(:execute_inline?) { true } }.new)
    @probe.begin_call
    adapter.enqueue(:job)
    @probe.end_call(@probe.call_kind("http api"), false)
    assert_equal [["http api", false]], @probe.called
  end

  # When jobs get the adapter, the application has not booted yet.
  def test_whether_good_job_runs_jobs_inline_is_asked_when_one_is_pushed
    type = adapter_of("GoodJob::") do
      attr_accessor :inline
      alias_method :execute_inline?, :inline
    end
    adapter = assigned(type.new)
    adapter.inline = true
    adapter.enqueue(:job)
    assert_empty @probe.called
    adapter.inline = false
    adapter.enqueue(:job)
    assert_equal [["push GoodJob", false]], @probe.called
  end

  def test_an_adapter_that_can_not_be_asked_does_not_reach_the_application
    adapter = assigned(adapter_of("Sneakers") { define_method(:execute_inline?) { raise IOError } }.new)
    assert_equal :job, adapter.enqueue(:job)
    assert_empty @probe.called
    assert_match(/calls failed, the application is not affected/, @log.lines.join)
  end

  def test_an_adapter_of_other_parameters_is_left_alone
    type = adapter_of("SolidQueue") { define_method(:enqueue) { |_job, options = {}| options } }
    adapter = assigned(type.new)
    assert_equal({wait: 1}, adapter.enqueue(:job, {wait: 1}))
    adapter.enqueue_at(:job, 60.0)
    assert_equal [["push SolidQueue", false]], @probe.called
  end

  # @return [Hash{Symbol => UnboundMethod}]
  def methods_of(type)
    names = type.instance_methods(false) + type.private_instance_methods(false)
    names.to_h { |name| [name, type.instance_method(name)] }
  end

  def test_jobs_that_get_their_adapter_another_way_are_left_alone
    job = Class.new { def self.assign_adapter(adapter) = adapter }
    before = methods_of(job.singleton_class)
    Calls::ActiveJobPushes.new(@recorder).join(job)
    assert_equal before, methods_of(job.singleton_class)
  end

  def test_a_push_to_sidekiq_keeps_its_answer_and_its_exception
    client = Class.new do
      def push(item) = item.fetch("class")

      def push_bulk(items) = items.map { |item| push(item) }
    end
    Calls::SidekiqPushes.new(@recorder).join(client)
    assert_equal "AJob", client.new.push({"class" => "AJob"})
    assert_equal ["AJob"], client.new.push_bulk([{"class" => "AJob"}])
    assert_raises(KeyError) { client.new.push({}) }
    # The push in the second one is inside it, which the probe knows.
    assert_equal [false, false, false, true].map { |error| ["push Sidekiq", error] }, @probe.called
  end

  def test_a_client_of_other_parameters_is_left_alone
    client = Class.new do
      def push(item, options = {}) = item

      def push_bulk(items) = items

      def perform_request(method, path) = path

      def process(commands, timeout) = commands
    end
    before = methods_of(client)
    Calls::SidekiqPushes.new(@recorder).join(client)
    Calls::Elasticsearch.new(@recorder).join(client)
    Calls::OldRedis.new(@recorder).join(client)
    assert_equal before, methods_of(client)
  end

  # A client as elastic-transport has it from 8.3 on, or as OpenSearch has it.
  def search_client(hosts, parameters)
    transport = Struct.new(:hosts).new(hosts.map { |host| {host:, password: "secret"} })
    Class.new do
      define_method(:transport) { transport }
      class_eval("def perform_request(#{parameters}) = binding", __FILE__, __LINE__)
    end
  end

  def test_a_frozen_client_works_and_is_measured
    client = search_client(%w[es1], Calls::SearchClient::SIGNATURES.first)
    Calls::Elasticsearch.new(@recorder).join(client)
    assert client.new.freeze.perform_request("GET", "/orders")
    assert_equal ["search es1", false], @probe.called.last
  end

  def test_a_search_is_a_call_to_its_host_or_to_one_of_them
    hosts = {%w[es1] => "search es1", %w[es2 es1] => "search es1 (of 2)", [] => "search"}
    Calls::SearchClient::SIGNATURES.each do |parameters|
      hosts.each do |names, kind|
        client = search_client(names, parameters).tap { |one| Calls::Elasticsearch.new(@recorder).join(one) }
        asked = client.new.perform_request("GET", "/orders", {a: 1}, "body", {b: 2})
        values = %i[method path params body headers].map { |name| asked.local_variable_get(name) }
        assert_equal ["GET", "/orders", {a: 1}, "body", {b: 2}], values
        assert_equal [kind, false], @probe.called.last
      end
    end
  end

  COMMANDS = {
    ["convert a.png secret.png"] => "convert", [{"A" => "1"}, "/usr/bin/wkhtmltopdf", "x"] => "wkhtmltopdf",
    [%w[/bin/sh sh], "-c"] => "sh", ["cd /tmp && secret"] => "cd", ["cat|sort"] => "cat",
    ["TOKEN=secret curl"] => nil, ["(secret)"] => nil, ["x" * 31] => nil, "gs -q" => "gs", nil => nil
  }.freeze

  def test_a_child_process_is_known_by_its_program_and_never_by_what_it_gets
    hook = Calls::Commands.new(@recorder)
    COMMANDS.each do |command, program|
      kind = @probe.call_kinds.fetch(hook.kind_of_command(command))
      assert_equal ["subprocess", program].compact.join(" "), kind, command.inspect
    end
  end

  def test_of_many_programs_some_are_named
    hook = Calls::Commands.new(@recorder)
    kinds = Array.new(100) { |number| @probe.call_kinds.fetch(hook.kind_of_command("run#{number}")) }
    assert_equal Calls::Commands::MOST_PROGRAMS + 1, kinds.uniq.size
    assert_equal "subprocess", kinds.last
  end

  # As net-http has it.
  def http_client(address)
    Class.new do
      define_method(:address) { address.call }

      def request(req, body = nil) = yield(req, body)

      private

      def connect = :connected
    end.tap { |type| Calls::NetHttp.new(@recorder).join(type) }.new
  end

  def test_a_request_is_a_call_to_its_host_also_when_it_raises
    client = http_client(-> { "api" })
    assert_equal([:get, nil], client.request(:get) { |*given| given })
    assert_raises(IOError) { client.request(:get) { raise IOError } }
    assert_equal :connected, client.send(:connect)
    assert_equal [["http api", false], ["http api", true], ["connect api", false]], @probe.called
  end

  # With an alias from before the hook, and with the hooked method itself.
  def test_a_method_that_is_defined_anew_is_hooked_again_and_counts_once
    client = Class.new { def process(commands) = commands }
    hook = Calls::OldRedis.new(@recorder)
    client.alias_method(:process_before, :process)
    hook.join(client)
    client.class_eval("def process(commands) = process_before(commands)", __FILE__, __LINE__)
    2.times { hook.renew }
    assert_equal [:get], client.new.process([:get])
    assert_equal 1, @probe.called.size
    hooked = client.instance_method(:process)
    client.define_method(:process) { |commands| hooked.bind_call(self, commands) }
    2.times { hook.renew }
    assert_equal [:get], client.new.process([:get])
    assert_empty @log.lines.grep(/does not hook/)
  end

  def test_a_target_that_can_not_be_named_does_not_reach_the_application
    client = http_client(-> { raise "no host" })
    assert_equal(1, client.request(:get) { 1 })
    assert_equal :connected, client.send(:connect)
    assert_equal [[nil, false]] * 2, @probe.called
    assert_match(/calls failed, the application is not affected/, @log.lines.join)
  end

  def test_without_a_unit_no_call_ends_and_nothing_is_named
    @probe.define_singleton_method(:begin_call) { |*| false }
    client = http_client(-> { raise "asked" })
    assert_equal(1, client.request(:get) { 1 })
    assert_empty @probe.called
    assert_empty @log.lines
  end

  def test_a_method_of_other_parameters_is_not_hooked_and_the_log_says_so_once
    client = Class.new do
      def self.name = "Redis::Client"

      def process(commands, timeout) = commands
    end
    2.times { Calls::OldRedis.new(@recorder).join(client) }
    assert_equal 1, @log.lines.size
    assert_match(/does not hook Redis::Client#process, .*: it takes other parameters than Holdup knows: /,
      @log.lines.first)
    assert_match(/\(req commands, req timeout\)/, @log.lines.first)
    assert_equal ["Redis::Client#process"], @recorder.guard.unhooked.keys
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

  def test_every_name_of_the_setting_has_a_library
    key = Holdup::ConfigurationKeys::ALL.find { |one| one.name == :calls }
    assert_equal key.type.choices.sort, Calls::LIBRARIES.keys.sort
  end
end
