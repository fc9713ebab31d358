# frozen_string_literal: true

require_relative "library_hook"

module Holdup
  module Instrumentation
    # Calls of requests and jobs to other systems. The probe splits each into the wait for the answer, the
    # wait for the GVL, GC and Ruby code of the library. A call inside another one (a cache over Redis) is a
    # part of the outer one.
    #
    # A kind of call is what is called and which of them: "sql primary", "http api.example.com". Never a
    # statement, a key, a path or a full URL. The probe knows 64 kinds; more are "others".
    class Calls
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
        @missing ||= @libraries.fetch_values(*@wanted.call).flatten.map { |hook| hook.new(@recorder) }
        loaded = @missing.select(&:loaded?)
        @missing -= loaded
        loaded.each(&:install)
      end

      def facts = {}

      def pools = []

      def gauges = {}

      def profile = {}
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

      def loaded?
        !!(defined?(::ActiveSupport) && ::ActiveSupport.respond_to?(:on_load))
      end

      def install
        ::ActiveSupport.on_load(:active_record, yield: true) do
          @guard.call(:calls) { join(::ActiveRecord::ConnectionAdapters::AbstractAdapter) }
        end
      end

      def initialize(recorder)
        super
        @kinds = ObjectSpace::WeakMap.new # by pool
        @queries = recorder.query_events(method(:kind_of))
      end

      # @param adapter [Class] of connections
      def join(adapter)
        QueryLog.install(adapter, @edges, @queries) or subscribe
      end

      def subscribe
        ::ActiveSupport::Notifications.subscribe(EVENT, @queries)
      end

      private

      # @return [Integer, nil] nil when it fails
      def kind_of(connection)
        @guard.call(:calls) do
          pool = connection.pool
          @kinds[pool] ||= @recorder.call_kind("sql #{pool.db_config.name}".strip)
        end
      end

      # The method `log` of Active Record's connections.
      #
      # A connection gets no variable of ours: CRuby would then find each of its own ones the slow way (23 in
      # a query), because the caches of variables are for objects without it.
      module QueryLog
        # Of the method => of the call of the original.
        PARAMETERS = {
          # 8.1
          'sql, name = "SQL", binds = [], type_casted_binds = [], async: false, allow_retry: false' =>
            "sql, name, binds, type_casted_binds, async:, allow_retry:",
          # 8.0
          'sql, name = "SQL", binds = [], type_casted_binds = [], async: false' =>
            "sql, name, binds, type_casted_binds, async:",
          # 7.1, 7.2
          'sql, name = "SQL", binds = [], type_casted_binds = [], statement_name = nil, async: false' =>
            "sql, name, binds, type_casted_binds, statement_name, async:"
        }.freeze

        module_function

        # @return [Boolean] false where the method is unknown; it is left alone then
        def install(adapter, edges, queries)
          log = Calls::ReplacedMethod.new(adapter, :log)
          return true if log.replaced?
          codes = PARAMETERS.map { |parameters, arguments| code(parameters, arguments) }
          fitting = log.fitting(codes) or return false
          log.replace(fitting, HoldupCalls: edges, HoldupQueries: queries)
          true
        end

        def code(parameters, arguments)
          <<~RUBY
            def log(#{parameters}, &block)
              HoldupCalls.begin_call
              result = holdup_original_log(#{arguments}, &block)
              answered = true
              result
            ensure
              HoldupQueries.end_query(@pool, self, sql, answered)
            end
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
      # Methods => their second parameter.
      METHODS = {instrument: "key", instrument_multi: "keys"}.freeze

      def initialize(recorder)
        super
        @kinds = Hash.new { |known, store| known[store] = kind_of(store) }
      end

      # Not while it is being loaded.
      def loaded?
        !!(defined?(::ActiveSupport::Cache::Store) &&
          ::ActiveSupport::Cache::Store.private_method_defined?(:save_block_result_to_cache))
      end

      def install
        @guard.call(:calls) { join(::ActiveSupport::Cache::Store) }
      end

      # @param store [Class] of caches
      def join(store)
        methods = METHODS.keys.map { |name| Calls::ReplacedMethod.new(store, name) }
        return if methods.all?(&:replaced?)
        codes = METHODS.map { |name, key| code(name, key) }
        return subscribe unless methods.zip(codes).all? { |method, code| method.fitting([code]) }
        kinds = Hash.new { |known, type| known[type] = @kinds[type.name] }.compare_by_identity
        methods.zip(codes) do |method, code|
          method.replace(code, HoldupCalls: @edges, HoldupKinds: kinds, HoldupOperations: OPERATIONS)
        end
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

      def code(name, key)
        <<~RUBY
          def #{name}(operation, #{key}, options = nil, &block)
            kind = HoldupKinds[self.class] if HoldupOperations[operation]
            return holdup_original_#{name}(operation, #{key}, options, &block) unless kind
            HoldupCalls.begin_call
            failed = true
            result = holdup_original_#{name}(operation, #{key}, options, &block)
            failed = false
            result
          ensure
            HoldupCalls.end_call(kind, failed) if kind
          end
        RUBY
      end
    end

    # redis-client, which redis 5 and Sidekiq 7 use: commands, pipelines and connecting, with host, port and
    # number of the database. It connects before the command, so that is a call of its own.
    class Calls::Redis < Calls::LibraryHook
      def loaded?
        !!(defined?(::RedisClient) && ::RedisClient.respond_to?(:register))
      end

      def install = ::RedisClient.register(RedisMiddleware.new(self, @edges))

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

      # Included in redis-client's middlewares, of which each client has an object.
      class RedisMiddleware < Calls::CallMethods
        OF_CLIENT = "@holdup_call_kind ||= HoldupLibrary.kind_of(config)"

        def initialize(library, edges)
          super
          add(:call, "command, config", OF_CLIENT)
          add(:call_pipelined, "commands, config", OF_CLIENT)
          add(:connect, "config", 'HoldupLibrary.kind_of(config, "connect")')
        end
      end
    end

    # The redis gem before its version 5 (4.8), which has no redis-client: commands and pipelines.
    # Connecting is a part of the first.
    class Calls::OldRedis < Calls::PrependedHook
      SIGNATURES = {process: [[:req, :commands]]}.freeze

      def loaded?
        !!(defined?(::Redis::Client) && ::Redis::Client.method_defined?(:process))
      end

      def install
        join(::Redis::Client)
      end

      # @param client [Class]
      def join(client)
        return unless self.class.known?(client, SIGNATURES)
        commands = Calls::CallMethods.new(self, @edges)
        commands.add(:process, "commands", "@holdup_call_kind ||= HoldupLibrary.kind_of_client(self)")
        client.prepend(commands)
      end

      # @return [Integer, nil]
      def kind_of_client(client)
        kind { "redis #{client.location}/#{client.db}" }
      end
    end

    # Net::HTTP and the clients over it: requests and connecting, each with the host (Ruby 3.3 to 3.4,
    # net-http 0.4 to 0.10). A block that reads the body is a part of the call.
    class Calls::NetHttp < Calls::PrependedHook
      SIGNATURES = {
        request: [[:req, :req], [:opt, :body], [:block, :block]],
        connect: []
      }.freeze

      # Not while it is being loaded.
      def loaded?
        !!(defined?(::Net::HTTP) && ::Net::HTTP.private_method_defined?(:connect) &&
          ::Net::HTTP.method_defined?(:request))
      end

      def install
        ::Net::HTTP.prepend(NetHttpRequests.new(self)) if self.class.known?(::Net::HTTP, SIGNATURES)
      end

      def kind_of_connect(host)
        kind { "connect #{host}" }
      end

      # Prepended to Net::HTTP.
      class NetHttpRequests < Module
        def initialize(library)
          super()
          define_method(:request) do |req, body = nil, &block|
            library.measure(library.kind_of("http", address)) { super(req, body, &block) }
          end
          define_method(:connect) do
            library.measure(library.kind_of_connect(address)) { super() }
          end
          private :connect
        end
      end
    end

    # Excon (1.0 to 1.11): requests, with the host; connecting is a part of them. Its middlewares see the
    # begin of a request and its answer, but nothing of what they are called by.
    class Calls::Excon < Calls::PrependedHook
      SIGNATURES = {request: [[:opt, :params], [:block, :block]]}.freeze

      def loaded? = !!(defined?(::Excon::Connection) && ::Excon::Connection.method_defined?(:request))

      def install
        known = self.class.known?(::Excon::Connection, SIGNATURES)
        ::Excon::Connection.prepend(ExconRequests.new(self)) if known
      end

      # Prepended to Excon::Connection.
      class ExconRequests < Module
        def initialize(library)
          super()
          define_method(:request) do |params = {}, &block|
            library.measure(library.kind_of("http", data[:host])) { super(params, &block) }
          end
        end
      end
    end

    # HTTPX (1.0 to 1.9): requests that are sent together are one call, with the host if it is one.
    class Calls::Httpx < Calls::PrependedHook
      SIGNATURES = {send_requests: [[:rest, :requests]]}.freeze
      SEVERAL = "(several hosts)"

      def loaded? = !!(defined?(::HTTPX::Session) && ::HTTPX::Session.private_method_defined?(:send_requests))

      def install
        ::HTTPX::Session.prepend(HttpxRequests.new(self)) if self.class.known?(::HTTPX::Session, SIGNATURES)
      end

      # @param requests [Array<HTTPX::Request>]
      def kind_of_all(requests)
        hosts = @guard.call(:calls) { requests.map { |request| request.uri.host }.uniq } || []
        kind_of("http", hosts.one? ? hosts.first : SEVERAL)
      end

      # Prepended to HTTPX::Session.
      class HttpxRequests < Module
        def initialize(library)
          super()
          define_method(:send_requests) do |*requests|
            library.measure(library.kind_of_all(requests)) { super(*requests) }
          end
          private :send_requests
        end
      end
    end

    # Dalli (3.2 to 5.3): requests to Memcached, with the server; reading several keys, which may lie on
    # several servers, is one call. Only the first request to a server waits for its connection.
    class Calls::Dalli < Calls::PrependedHook
      SIGNATURES = {request: [[:req, :opkey], [:rest, :args]]}.freeze

      def loaded?
        !!(defined?(::Dalli::Protocol::Base) && ::Dalli::Protocol::Base.method_defined?(:request) &&
          defined?(::Dalli::PipelinedGetter))
      end

      def install
        return unless self.class.known?(::Dalli::Protocol::Base, SIGNATURES)
        ::Dalli::Protocol::Base.prepend(DalliRequests.new(self))
        ::Dalli::PipelinedGetter.prepend(DalliSeveralKeys.new(self))
      end

      # Prepended to a server.
      class DalliRequests < Module
        def initialize(library)
          super()
          define_method(:request) do |opkey, *args, &block|
            kind = @holdup_call_kind ||= library.kind_of("memcached", name)
            library.measure(kind) { super(opkey, *args, &block) }
          end
        end
      end

      # Prepended to what reads several keys, whose parameters differ from version to version.
      class DalliSeveralKeys < Module
        def initialize(library)
          super()
          define_method(:process) do |*args, **options, &block|
            library.measure(library.kind_of("memcached", "")) { super(*args, **options, &block) }
          end
        end
      end
    end

    # Pushes of jobs by Active Job (7.1 to 8.1), with the job runner: what its adapter does. What a push asks
    # of Redis or of a database is a part of it. Where the process keeps the job, or runs it at once, there is
    # no other system.
    #
    # A module is prepended to the class of each adapter that jobs get. A subscription to the notifications of
    # pushes is several times as expensive, and a module prepended to jobs would have to find the adapter of
    # each push a second time.
    class Calls::ActiveJobPushes < Calls::PrependedHook
      # Of the class method of jobs that gets their adapter.
      SIGNATURES = {assign_adapter: [[:req, :adapter_name], [:req, :queue_adapter]]}.freeze
      # Of the methods of an adapter, which has its own names for them.
      PARAMETERS = {enqueue: %w[job], enqueue_at: %w[job timestamp], enqueue_all: %w[jobs]}.freeze
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
        return unless self.class.known?(job.singleton_class, SIGNATURES)
        job.singleton_class.prepend(AdapterAssignments.new(self))
        [job, *job.descendants].each { |type| join_adapter(type._queue_adapter) }
      end

      # @param adapter [Object, nil] of jobs
      def join_adapter(adapter)
        @guard.call(:calls) do
          type = adapter.is_a?(Module) ? adapter.singleton_class : adapter.class
          next if adapter.nil? || @joined[type] || OWN_PROCESS.include?(self.class.runner(adapter))
          @joined[type] = true
          type.prepend(pushes(type))
        end
      end

      # @return [Integer, nil] nil: its pushes are no calls
      def kind_of_adapter(adapter)
        @guard.call(:calls) do
          next if inline?(adapter)
          kind = @recorder.call_kind("push #{self.class.runner(adapter)}".strip)
          adapter.instance_variable_set(:@holdup_call_kind, kind) unless adapter.frozen?
          kind
        end
      end

      private

      # GoodJob can run a job where it is pushed. How it does is known once the application has booted.
      def inline?(adapter)
        adapter.respond_to?(:execute_inline?) && adapter.execute_inline?
      end

      def pushes(type)
        pushes = Calls::CallMethods.new(self, @edges)
        PARAMETERS.each do |name, parameters|
          pushes.add_if(name, parameters.join(", "), KIND) if takes?(type, name, parameters.size)
        end
        pushes
      end

      def takes?(type, name, count)
        type.public_method_defined?(name) &&
          type.instance_method(name).parameters.map(&:first) == [:req] * count
      end

      # Prepended to the class methods of jobs.
      class AdapterAssignments < Module
        def initialize(library)
          super()
          define_method(:assign_adapter) do |adapter_name, queue_adapter|
            library.join_adapter(queue_adapter)
            super(adapter_name, queue_adapter)
          end
          private :assign_adapter
        end
      end
    end

    # Pushes by Sidekiq's own client (7.0 to 8.1). Its middlewares end before a job is pushed.
    class Calls::SidekiqPushes < Calls::PrependedHook
      # Of the methods that push.
      PARAMETERS = {push: :item, push_bulk: :items}.freeze

      def loaded?
        !!(defined?(::Sidekiq::Client) && ::Sidekiq::Client.method_defined?(:push_bulk))
      end

      def install
        join(::Sidekiq::Client)
      end

      # @param client [Class]
      def join(client)
        return unless self.class.known?(client, PARAMETERS.transform_values { |name| [[:req, name]] })
        number = kind { "push Sidekiq" }
        pushes = Calls::CallMethods.new(self, @edges)
        PARAMETERS.each { |name, parameter| pushes.add(name, parameter, number.inspect) }
        client.prepend(pushes)
      end
    end

    # Elasticsearch (elastic-transport 8.0 to 8.5) and OpenSearch (opensearch-ruby 3.4): requests, with the
    # host, or the first of several. The middlewares of their HTTP clients are a client's own.
    class Calls::SearchClient < Calls::PrependedHook
      # Of Method#parameters => of the method.
      PARAMETERS = {
        [[:req, :method], [:req, :path], [:opt, :params], [:opt, :body], [:opt, :headers]] =>
          "method, path, params = {}, body = nil, headers = nil",
        # elastic-transport from 8.3 on
        [[:req, :method], [:req, :path], [:opt, :params], [:opt, :body], [:opt, :headers], [:opt, :opts]] =>
          "method, path, params = {}, body = nil, headers = nil, opts = {}"
      }.freeze

      def loaded?
        !!client&.method_defined?(:perform_request)
      end

      def install
        join(client)
      end

      # @param client [Class]
      def join(client)
        known = client.instance_method(:perform_request).parameters
        parameters = PARAMETERS[known] or return
        requests = Calls::CallMethods.new(self, @edges)
        requests.add(:perform_request, parameters, "@holdup_call_kind ||= HoldupLibrary.kind_of_client(self)")
        client.prepend(requests)
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
    #
    # The methods are included in Object, before Kernel, so that a gem which makes an alias of Kernel's own
    # gets those.
    class Calls::Commands < Calls::LibraryHook
      # Programs that are named: one may have many temporary scripts.
      MOST_PROGRAMS = 16
      # The first word, without its folder; none that sets a variable.
      PROGRAM = %r{\A\s*(?:[\w.+-]*/)*([\w.+-]{1,30})(?=[\s;&|]|\z)}
      WAITS = %i[wait wait2 waitpid waitpid2].freeze
      # Constants of ours can't be read in other Ractors.
      ONLY_MAIN = "if Ractor.current == Ractor.main"

      def initialize(recorder)
        super
        @kinds = {}
      end

      def loaded?
        true
      end

      def install
        ::Object.include(commands.tap { |methods| methods.send(:private, :system, :`) })
        ::Kernel.singleton_class.prepend(commands)
        ::Process.singleton_class.prepend(running(WAITS, "HoldupLibrary.kind_of_command(nil)"))
      end

      # @param command [Array, String, nil] as for `system`: perhaps variables, then a line for the shell or a
      #   program and its arguments
      # @return [Integer, nil]
      def kind_of_command(command)
        program = @guard.call(:calls) { program(command) }
        @kinds[program] || remember(program)
      end

      private

      def commands
        running(%i[system], "HoldupLibrary.kind_of_command(command)").tap do |methods|
          methods.add(:`, "command", "(HoldupLibrary.kind_of_command(command) #{ONLY_MAIN})")
        end
      end

      # @return [Module] with those methods, which take anything
      def running(names, kind)
        Calls::CallMethods.new(self, @edges).tap do |methods|
          names.each { |name| methods.add(name, "*command", "(#{kind} #{ONLY_MAIN})") }
          methods.send(:ruby2_keywords, *names)
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
        ::Open3.singleton_class.prepend(running(CAPTURES, "HoldupLibrary.kind_of_command(command)"))
      end
    end

    # By their names in `config.calls`.
    Calls::LIBRARIES = {
      sql: [Calls::ActiveRecord],
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
