# frozen_string_literal: true

require_relative "library_hook"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Calls of requests and jobs to other systems. The probe splits each into the wait for the answer, the
    # wait for the GVL, GC and Ruby code of the library. A call inside another one (a cache over Redis) is a
    # part of the outer one.
    #
    # A kind of call is what is called and which of them: "sql primary", "http api.example.com". Never a
    # statement, a key, a path or a full URL. The probe knows 64 kinds; more are "others".
    class Calls
      include Runtime::Resource

      # Hooks into each library once it is loaded.
      # @param wanted [#call] gives the names of the libraries to measure
      # @param libraries [Hash{Symbol => Array<Class>}] of LibraryHook
      def initialize(recorder:, wanted:, libraries: LIBRARIES)
        @recorder = recorder
        @wanted = wanted
        @libraries = libraries
      end

      # Tries each library once, when it is loaded.
      def install
        @installed&.each(&:renew)
        @missing ||= @libraries.fetch_values(*@wanted.call).flatten.map { |hook| hook.new(@recorder) }
        loaded = @missing.select(&:loaded?)
        @missing -= loaded
        @installed = [*@installed, *loaded]
        loaded.each(&:install)
      end
    end

    # Active Record (7.1 to 8.1): queries, with the name of their database. Queries that its query cache
    # answers are none. Only a unit's own thread counts: an asynchronous query runs in a thread of Active
    # Record.
    #
    # Each query passes through the private method `log` of its connection. Active Support's notification,
    # which that method sends, is seven times as expensive for one more subscriber, so it is subscribed to
    # only where the method has other parameters, or another gem has replaced it.
    class Calls::ActiveRecord < Calls::LibraryHook
      EVENT = "sql.active_record"
      # Parameters of the method `log`.
      SIGNATURES = [
        # 8.1
        'sql, name = "SQL", binds = [], type_casted_binds = [], async: false, allow_retry: false',
        # 8.0
        'sql, name = "SQL", binds = [], type_casted_binds = [], async: false',
        # 7.1, 7.2
        'sql, name = "SQL", binds = [], type_casted_binds = [], statement_name = nil, async: false'
      ].freeze
      REPLACED = "another library has replaced it"

      def loaded?
        !!(defined?(::ActiveSupport) && ::ActiveSupport.respond_to?(:on_load))
      end

      def install
        ::ActiveSupport.on_load(:active_record, yield: true) do
          @guard.call(:calls) { join(::ActiveRecord::ConnectionAdapters::AbstractAdapter) }
          @guard.call(:calls) { join_transactions(::ActiveRecord::ConnectionAdapters::RealTransaction) }
        end
      end

      def initialize(recorder)
        super
        @kinds = ObjectSpace::WeakMap.new # by pool
        @queries = recorder.query_events(method(:kind_of))
      end

      # @param adapter [Class] of connections
      def join(adapter)
        hook = log_hook(adapter)
        return if own?(adapter) && hook.install
        @guard.notified_instead(hook.title, hook.refusal || REPLACED)
        subscribe
      end

      def subscribe
        ::ActiveSupport::Notifications.subscribe(EVENT, @queries)
      end

      # Transactions of the database; savepoints in them are of another class. BEGIN is sent when the first
      # query needs it (`materialize!`).
      # @param transaction [Class]
      def join_transactions(transaction)
        kind = "HoldupLibrary.kind_of(connection)"
        install_together([
          transaction_begin_hook(transaction, :materialize!, signatures: [""]) { kind },
          commit_hook(transaction, :commit, signatures: [""]) { kind },
          rollback_hook(transaction, :rollback, signatures: [""]) { kind },
          restart_hook(transaction, kind)
        ])
      end

      # @return [Integer, nil] nil when it fails
      def kind_of(connection)
        @guard.call(:calls) do
          pool = connection.pool
          @kinds[pool] ||= @recorder.call_kind("sql #{pool.db_config.name}".strip)
        end
      end

      private

      # An inner transaction that is rolled back, and that all of the outer one belongs to, ends that and
      # begins it again.
      def restart_hook(transaction, kind)
        around(transaction, :restart, signatures: [""]) do |method|
          <<~RUBY
            HoldupCalls.end_transaction(#{kind}, true)
            holdup_result = #{method.call}
            HoldupCalls.begin_transaction(#{kind}) if materialized?
            holdup_result
          RUBY
        end
      end

      # A connection gets no variable of ours: CRuby would then find each of its own ones the slow way (23 in
      # a query), because the caches of variables are for objects without it.
      def log_hook(adapter)
        around(adapter, :log, signatures: SIGNATURES, constants: {HoldupQueries: @queries}) do |method|
          <<~RUBY
              holdup_open = HoldupQueries.begin_query(@pool)
              holdup_result = #{method.call}
              holdup_answered = true
              holdup_result
            ensure
              HoldupQueries.end_query(@pool, self, #{method.positional(0)}, holdup_answered) if holdup_open
          RUBY
        end
      end

      # Another gem's module may answer without the method of Active Record.
      def own?(adapter)
        adapter.private_method_defined?(:log) && adapter.instance_method(:log).owner.equal?(adapter)
      end
    end

    # Sequel (5.80 to 5.110): queries, and transactions, with the type of their database. A savepoint belongs
    # to the transaction around it.
    class Calls::Sequel < Calls::LibraryHook
      # Transactions have been added when they begin, and are there until they are removed.
      OUTER = "(HoldupLibrary.kind_of(self) unless in_savepoint?(%s))"

      def initialize(recorder)
        super
        @kinds = ObjectSpace::WeakMap.new # by database
      end

      # The class has no methods yet while it is being loaded.
      def loaded?
        !!(defined?(::Sequel::Database) && ::Sequel::Database.method_defined?(:log_connection_yield) &&
          ::Sequel::Database.private_method_defined?(:transaction_finished?))
      end

      def install
        join(::Sequel::Database)
      end

      # @param database [Class]
      def join(database)
        install_together([
          call_hook(database, :log_connection_yield, signatures: ["sql, conn, args = nil"]) do
            "HoldupLibrary.kind_of(self)"
          end,
          begin_hook(database),
          removal_hook(database)
        ])
      end

      # @return [Integer, nil] nil when it fails
      def kind_of(database)
        @kinds[database] ||= kind { "sql #{database.database_type}" }
      end

      private

      def begin_hook(database)
        parameters = "conn, opts = ::Sequel::OPTS"
        transaction_begin_hook(database, :begin_transaction, signatures: [parameters]) do |method|
          format(OUTER, method.positional(0))
        end
      end

      # Callbacks of the transaction, which run after its COMMIT, are in this method too.
      def removal_hook(database)
        around(database, :remove_transaction, signatures: ["conn, committed"]) do |method|
          <<~RUBY
            HoldupCalls.end_transaction(#{format(OUTER, method.positional(0))}, !#{method.positional(1)})
            #{method.call}
          RUBY
        end
      end
    end

    # Active Support's caches (7.1 to 8.1), except those in the process's own memory. Each operation passes
    # through one of two private methods of its store. Where these are unknown, their notifications are
    # subscribed to: as one object for start and finish, a subscriber makes no event.
    class Calls::Cache < Calls::LibraryHook
      OPERATIONS = %i[
        read read_multi write write_multi delete delete_multi delete_matched exist? increment decrement
      ].to_h { |operation| [operation, true] }.freeze
      OWN_MEMORY = %w[ActiveSupport::Cache::MemoryStore ActiveSupport::Cache::NullStore].freeze
      SIGNATURES = {
        instrument: "operation, key, options = nil", instrument_multi: "operation, keys, options = nil"
      }.freeze

      UNKNOWN = "it takes other parameters than Holdup knows"

      def initialize(recorder)
        super
        @kinds = Hash.new { |known, store| known[store] = kind_of(store) }
      end

      # The class has no methods yet while it is being loaded.
      def loaded?
        !!(defined?(::ActiveSupport::Cache::Store) &&
          ::ActiveSupport::Cache::Store.private_method_defined?(:save_block_result_to_cache))
      end

      def install
        @guard.call(:calls) { join(::ActiveSupport::Cache::Store) }
      end

      # @param store [Class] of caches
      def join(store)
        hooks = SIGNATURES.map { |name, parameters| operations_hook(store, name, parameters) }
        unknown = hooks.reject(&:possible?)
        return hooks.each(&:install) if unknown.empty?
        unknown.each { |hook| @guard.notified_instead(hook.title, UNKNOWN) }
        subscribe
      end

      def start(_name, _id, _payload) = @edges.begin_call

      def finish(_name, _id, payload)
        @edges.end_call(@kinds[payload[:store]], payload.key?(:exception))
      end

      private

      def subscribe
        OPERATIONS.each_key do |operation|
          ::ActiveSupport::Notifications.subscribe("cache_#{operation}.active_support", self)
        end
      end

      # @param store [String, nil] name of its class
      # @return [Integer, nil] nil: its operations are no calls
      def kind_of(store)
        kind { "cache #{store.to_s.split("::").last}".strip } unless OWN_MEMORY.include?(store)
      end

      def operations_hook(store, name, parameters)
        kinds = Hash.new { |known, type| known[type] = @kinds[type.name] }.compare_by_identity
        constants = {HoldupKinds: kinds, HoldupOperations: OPERATIONS}
        kind_hook(store, name, signatures: [parameters], constants:) do |method|
          "(HoldupKinds[self.class] if HoldupOperations[#{method.positional(0)}])"
        end
      end
    end

    # redis-client, which redis 5 and Sidekiq 7 use: commands, pipelines and connecting, with host, port and
    # number of the database. It connects before the command, so that is a call of its own.
    class Calls::Redis < Calls::LibraryHook
      def loaded?
        !!(defined?(::RedisClient) && ::RedisClient.respond_to?(:register))
      end

      def install = ::RedisClient.register(middleware)

      # @param system [String] "redis" or "connect"
      def kind_of(config, system = "redis")
        kind { "#{system} #{server(config)}/#{config.db}" }
      end

      private

      # A sentinel's configuration asks the sentinels for the host.
      def server(config)
        return config.name if config.sentinel?
        config.path || "#{config.host}:#{config.port}"
      end

      # @return [Module] to be included in redis-client's middlewares, of which each client has an object
      def middleware
        {call: "command, config", call_pipelined: "commands, config", connect: "config"}
          .each_with_object(RedisMiddleware.new) do |(name, parameters), middleware|
            system = "connect" if name == :connect
            call_hook(middleware, name, signatures: [parameters], layer: true) do
              "@holdup_call_kind ||= HoldupLibrary.kind_of(config#{", #{system.dump}" if system})"
            end.install(@guard)
          end
      end

      RedisMiddleware = Class.new(Module)
    end

    # The redis gem before its version 5 (4.8), which has no redis-client: commands and pipelines.
    # Connecting is a part of the first.
    class Calls::OldRedis < Calls::LibraryHook
      def loaded?
        !!(defined?(::Redis::Client) && ::Redis::Client.method_defined?(:process))
      end

      def install
        join(::Redis::Client)
      end

      # @param client [Class]
      def join(client)
        call_hook(client, :process, signatures: ["commands"]) do
          "@holdup_call_kind || HoldupLibrary.keep(self, HoldupLibrary.kind_of_client(self))"
        end.install(@guard)
      end

      # @return [Integer, nil]
      def kind_of_client(client)
        kind { "redis #{client.location}/#{client.db}" }
      end
    end

    # Net::HTTP and the clients over it: requests and connecting, each with the host (Ruby 3.3 to 3.4,
    # net-http 0.4 to 0.10). A block that reads the body is a part of the call.
    class Calls::NetHttp < Calls::HostHook
      # The class has no methods yet while it is being loaded.
      def loaded?
        !!(defined?(::Net::HTTP) && ::Net::HTTP.private_method_defined?(:connect) &&
          ::Net::HTTP.method_defined?(:request))
      end

      def install
        join(::Net::HTTP)
      end

      # @param http [Class]
      def join(http)
        hooks = {
          request: ["req, body = nil", "HoldupLibrary.kind_of_request(self)"],
          connect: ["", "HoldupLibrary.kind_of_connect(self)"]
        }
        install_together(hooks.map do |name, (parameters, kind)|
          call_hook(http, name, signatures: [parameters]) { kind }
        end)
      end

      # @return [Integer, nil]
      def kind_of_request(http)
        kind_of("http", http.address)
      rescue *Guard::FAILURES => error
        @guard.failed(:calls, error)
      end

      # @return [Integer, nil]
      def kind_of_connect(http)
        kind { "connect #{http.address}" }
      end
    end

    # Excon (1.0 to 1.11): requests, with the host; connecting is a part of them. Its middlewares see the
    # begin of a request and its answer, but nothing of what they are called by.
    class Calls::Excon < Calls::HostHook
      def loaded? = !!(defined?(::Excon::Connection) && ::Excon::Connection.method_defined?(:request))

      def install
        join(::Excon::Connection)
      end

      # @param connection [Class]
      def join(connection)
        call_hook(connection, :request, signatures: ["params = {}"]) do
          "HoldupLibrary.kind_of_request(self)"
        end.install(@guard)
      end

      # @return [Integer, nil]
      def kind_of_request(connection)
        kind_of("http", connection.data[:host])
      rescue *Guard::FAILURES => error
        @guard.failed(:calls, error)
      end
    end

    # HTTPX (1.0 to 1.9): requests that are sent together are one call, with the host if it is one.
    class Calls::Httpx < Calls::HostHook
      SEVERAL = "(several hosts)"

      def loaded? = !!(defined?(::HTTPX::Session) && ::HTTPX::Session.private_method_defined?(:send_requests))

      def install
        join(::HTTPX::Session)
      end

      # @param session [Class]
      def join(session)
        call_hook(session, :send_requests, signatures: ["*requests"]) do |method|
          "HoldupLibrary.kind_of_all(#{method.given})"
        end.install(@guard)
      end

      # @param requests [Array<HTTPX::Request>]
      def kind_of_all(requests)
        hosts = @guard.call(:calls) { requests.map { |request| request.uri.host }.uniq } || []
        kind_of("http", hosts.one? ? hosts.first : SEVERAL)
      end
    end

    # Dalli (3.2 to 5.3): requests to Memcached, with the server; reading several keys, which may lie on
    # several servers, is one call. Only the first request to a server waits for its connection.
    class Calls::Dalli < Calls::HostHook
      def loaded?
        !!(defined?(::Dalli::Protocol::Base) && ::Dalli::Protocol::Base.method_defined?(:request) &&
          defined?(::Dalli::PipelinedGetter))
      end

      def install
        join(::Dalli::Protocol::Base, ::Dalli::PipelinedGetter)
      end

      # @param server [Class]
      # @param getter [Class] reads several keys; its parameters differ from version to version
      def join(server, getter)
        one = call_hook(server, :request, signatures: ["opkey, *args"]) do
          "@holdup_call_kind || HoldupLibrary.keep(self, HoldupLibrary.kind_of_server(self))"
        end
        several = call_hook(getter, :process) { 'HoldupLibrary.kind_of("memcached", "")' }
        install_together([one, several])
      end

      # @return [Integer, nil]
      def kind_of_server(server)
        kind_of("memcached", server.name)
      rescue *Guard::FAILURES => error
        @guard.failed(:calls, error)
      end
    end

    # Pushes of jobs by Active Job (7.1 to 8.1), with the job runner: what its adapter does. What a push asks
    # of Redis or of a database is a part of it. Where the process keeps the job, or runs it at once, there is
    # no other system.
    #
    # The class of each adapter that jobs get is hooked. A subscription to the notifications of pushes is
    # several times as expensive, and a hook in jobs would have to find the adapter of each push again.
    class Calls::ActiveJobPushes < Calls::LibraryHook
      # Methods of an adapter, with the number of their parameters.
      METHODS = {enqueue: 1, enqueue_at: 2, enqueue_all: 1}.freeze
      OWN_PROCESS = %w[Async Inline Test].freeze
      KIND = "@holdup_call_kind || HoldupLibrary.kind_of_adapter(self)"

      # "ActiveJob::QueueAdapters::SolidQueueAdapter" is SolidQueue, "GoodJob::Adapter" is GoodJob.
      # @param adapter [Object]
      def self.runner(adapter)
        type = adapter.is_a?(Module) ? adapter : adapter.class
        type.name.to_s.delete_suffix("Adapter").split("::").last.to_s
      end

      def initialize(recorder)
        super
        @joined = {}.compare_by_identity # classes of adapters, of which there are few
      end

      def loaded?
        !!(defined?(::ActiveSupport) && ::ActiveSupport.respond_to?(:on_load))
      end

      # Naming ActiveJob::Base would load it, and start what waits for that.
      def install
        ::ActiveSupport.on_load(:active_job, yield: true) { |job| @guard.call(:calls) { join(job) } }
      end

      # @param job [Class] ActiveJob::Base
      def join(job)
        assigned = {signatures: ["adapter_name, queue_adapter"]}
        hooked = around(job.singleton_class, :assign_adapter, **assigned) do |method|
          <<~RUBY
            HoldupLibrary.join_adapter(#{method.positional(1)})
            #{method.call}
          RUBY
        end.install(@guard)
        return unless hooked
        [job, *job.descendants].each { |type| join_adapter(type._queue_adapter) }
      end

      # @param adapter [Object, nil] of jobs
      def join_adapter(adapter)
        @guard.call(:calls) do
          type = adapter.is_a?(Module) ? adapter.singleton_class : adapter.class
          next if adapter.nil? || @joined[type] || OWN_PROCESS.include?(self.class.runner(adapter))
          @joined[type] = true
          METHODS.each { |name, size| hook_push(type, name) if takes?(type, name, size) }
        end
      end

      # @return [Integer, nil] nil: its pushes are no calls
      def kind_of_adapter(adapter)
        @guard.call(:calls) do
          next if inline?(adapter)
          keep(adapter, @recorder.call_kind("push #{self.class.runner(adapter)}".strip))
        end
      end

      private

      # GoodJob can run a job where it is pushed. How it does is known once the application has booted.
      def inline?(adapter)
        adapter.respond_to?(:execute_inline?) && adapter.execute_inline?
      end

      def hook_push(type, name)
        kind_hook(type, name) { KIND }.install(@guard)
      end

      def takes?(type, name, count)
        type.public_method_defined?(name) &&
          type.instance_method(name).parameters.map(&:first) == [:req] * count
      end
    end

    # Pushes by Sidekiq's own client (7.0 to 8.1). Its middlewares end before a job is pushed.
    class Calls::SidekiqPushes < Calls::LibraryHook
      # Methods that push => their parameters.
      SIGNATURES = {push: "item", push_bulk: "items"}.freeze

      def loaded?
        !!(defined?(::Sidekiq::Client) && ::Sidekiq::Client.method_defined?(:push_bulk))
      end

      def install
        join(::Sidekiq::Client)
      end

      # @param client [Class]
      def join(client)
        number = kind { "push Sidekiq" }
        install_together(SIGNATURES.map do |name, parameters|
          call_hook(client, name, signatures: [parameters], block: false) { number.inspect }
        end)
      end
    end

    # Elasticsearch (elastic-transport 8.0 to 8.5) and OpenSearch (opensearch-ruby 3.4): requests, with the
    # host, or the first of several. The middlewares of their HTTP clients are a client's own.
    class Calls::SearchClient < Calls::LibraryHook
      SIGNATURES = [
        "method, path, params = {}, body = nil, headers = nil",
        # elastic-transport from 8.3 on
        "method, path, params = {}, body = nil, headers = nil, opts = {}"
      ].freeze

      def loaded?
        !!client&.method_defined?(:perform_request)
      end

      def install
        join(client)
      end

      # @param client [Class]
      def join(client)
        call_hook(client, :perform_request, signatures: SIGNATURES, block: false) do
          "@holdup_call_kind || HoldupLibrary.keep(self, HoldupLibrary.kind_of_client(self))"
        end.install(@guard)
      end

      # @return [Integer, nil]
      def kind_of_client(client)
        kind { "search #{host(client.transport)}".strip }
      end

      private

      def host(transport)
        return unless transport.respond_to?(:hosts)
        hosts = transport.hosts.map { |host| host[:host] }.uniq
        (hosts.size > 1) ? "#{hosts.min} (of #{hosts.size})" : hosts.first
      end
    end

    class Calls::Elasticsearch < Calls::SearchClient
      private

      def client
        ::Elastic::Transport::Client if defined?(::Elastic::Transport::Client)
      end
    end

    class Calls::OpenSearch < Calls::SearchClient
      private

      def client
        ::OpenSearch::Transport::Client if defined?(::OpenSearch::Transport::Client)
      end
    end

    # Child processes that a request or job waits for: `system` and backticks, with the program, and
    # Process.wait. A pipe (popen) is read and written by code of the application, and is not measured. Nor
    # are files: their methods are those of logs and sockets, and a line of a log would take 1.5 us, not 1.1.
    class Calls::Commands < Calls::LibraryHook
      # Programs that are named: one may have many temporary scripts.
      MOST_PROGRAMS = 16
      # The first word, without its folder; none that sets a variable.
      PROGRAM = %r{\A\s*(?:[\w.+-]*/)*([\w.+-]{1,30})(?=[\s;&|]|\z)}
      WAITS = %i[wait wait2 waitpid waitpid2].freeze

      def initialize(recorder)
        super
        @kinds = {}
      end

      def loaded?
        true
      end

      def install
        [::Kernel, ::Kernel.singleton_class].each { |owner| hook_commands(owner, :system, :`) }
        WAITS.each do |name|
          call_hook(::Process.singleton_class, name) { "HoldupLibrary.kind_of_command(nil)" }.install(@guard)
        end
      end

      # @param command [Array, String, nil] as for `system`: perhaps variables, then a line for the shell or a
      #   program and its arguments
      # @return [Integer, nil]
      def kind_of_command(command)
        program = @guard.call(:calls) { program(command) }
        @kinds[program] || remember(program)
      end

      private

      def hook_commands(owner, *names)
        names.each do |name|
          call_hook(owner, name) { |method| "HoldupLibrary.kind_of_command(#{method.given})" }.install(@guard)
        end
      end

      def program(command)
        words = Array(command).reject { |word| word.is_a?(Hash) }
        Array(words.first).first.to_s[PROGRAM, 1]
      end

      def remember(program)
        program = nil if @kinds.size >= MOST_PROGRAMS
        @kinds[program] ||= kind { "subprocess #{program}".strip }
      end
    end

    # Open3's methods that wait for a child process (Ruby 3.3 to 3.4).
    class Calls::Open3 < Calls::Commands
      CAPTURES = %i[capture2 capture2e capture3].freeze

      def loaded?
        !!(defined?(::Open3) && CAPTURES.all? { |name| ::Open3.respond_to?(name) })
      end

      def install
        hook_commands(::Open3.singleton_class, *CAPTURES)
      end
    end

    # The keys are the names in `config.calls`.
    Calls::LIBRARIES = {
      sql: [Calls::ActiveRecord, Calls::Sequel],
      cache: [Calls::Cache],
      redis: [Calls::Redis, Calls::OldRedis],
      memcached: [Calls::Dalli],
      http: [Calls::NetHttp, Calls::Excon, Calls::Httpx],
      push: [Calls::ActiveJobPushes, Calls::SidekiqPushes],
      search: [Calls::Elasticsearch, Calls::OpenSearch],
      subprocess: [Calls::Commands, Calls::Open3]
    }.freeze
  end
end
