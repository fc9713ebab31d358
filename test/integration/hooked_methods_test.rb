# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers"

# Every method that Holdup hooks in any library keeps the contract of hooked methods. The methods come from
# the hooks that are in place, so a new one is tested without another line here.
class HookedMethodsTest < Minitest::Test
  include FreshRuby

  # What loads a library and hooks its methods. A server that is loaded by its name needs no line.
  LIBRARIES = {
    "calls" => <<~RUBY,
      require "rails"
      require "active_record"
      require "active_job"
      require "active_support/cache"
      require "net/http"
      require "open3"
      require "excon"
      require "httpx"
      require "dalli"
      require "redis"
      require "sidekiq"
      require "elastic-transport"
      require "opensearch"
      require "sequel"
      ActiveRecord::Base && ActiveRecord::ConnectionAdapters::AbstractAdapter
      ActiveSupport::Cache::Store
      Dalli::Protocol::Base && Dalli::PipelinedGetter
      calls = Holdup::Instrumentation::Calls.new(recorder: Holdup.recorder,
        wanted: -> { Holdup::Instrumentation::Calls::LIBRARIES.keys })
      calls.install
      class PushedAdapter
        def enqueue(job) = job
        def enqueue_at(job, timestamp) = job
        def enqueue_all(jobs) = jobs
      end
      ActiveJob::Base.queue_adapter = PushedAdapter.new
      require "holdup/agent/instrumentation/connection_pool"
      Holdup::Instrumentation::ConnectionPool.new(guard: GUARD, clock: Holdup::Clock.new)
        .install_in(ActiveRecord::ConnectionAdapters::ConnectionPool)
    RUBY
    "sequel" => <<~RUBY,
      require "sequel"
      require "sequel/connection_pool/timed_queue"
      require "sequel/connection_pool/threaded"
      require "holdup/agent/instrumentation/sequel_pool"
      pools = Holdup::Instrumentation::SequelPool.new(guard: GUARD, clock: Holdup::Clock.new)
      pools.install
      pools.hook_leases(Sequel::TimedQueueConnectionPool)
      pools.hook_leases(Sequel::ThreadedConnectionPool)
    RUBY
    "connection_pool" => <<~RUBY,
      require "connection_pool"
      require "holdup/agent/instrumentation/connection_pool_gem"
      pools = Holdup::Instrumentation::ConnectionPoolGem.new(guard: GUARD, clock: Holdup::Clock.new)
      pools.install
      pools.hook_leases
    RUBY
    "controllers" => <<~RUBY,
      require "action_controller"
      require "holdup/agent/instrumentation/asked_endpoint"
      ActionDispatch::Request
      Holdup::Instrumentation::AskedEndpoint.new(-> { Holdup.requests.names }, guard: GUARD).install
      require "lograge"
      lines = Holdup::Instrumentation::ControllerFigures::LINES
      Holdup::Instrumentation::ControllerFigures.new(wanted: -> { lines }, guard: GUARD).install
      ActionController::Base
      require "graphql"
      require "holdup/agent/instrumentation/graphql_operations"
      GraphQL::Tracing::Trace
      Holdup::Instrumentation::GraphqlOperations.new(guard: GUARD).install
    RUBY
    "names" => <<~RUBY,
      require "roda"
      require "roda/plugins/_optimized_matching"
      require "holdup/agent/instrumentation/roda_routes"
      Holdup::Instrumentation::RodaRoutes.new(guard: GUARD).install
      require "hanami/router"
      require "holdup/agent/instrumentation/hanami_routes"
      Holdup::Instrumentation::HanamiRoutes.new(guard: GUARD).install
      require "mcp"
      require "holdup/agent/instrumentation/mcp_tools"
      MCP::Server
      Holdup::Instrumentation::McpTools.new(guard: GUARD).install
      require "grpc"
      require "holdup/agent/instrumentation/grpc_methods"
      Holdup::Instrumentation::GrpcMethods.new(recorder: Holdup.recorder).install
    RUBY
    "tracers" => <<~RUBY,
      require "opentelemetry/sdk"
      require "datadog"
      require "holdup/agent/instrumentation/tracers"
      Holdup::Instrumentation::Tracers.new(recorder: Holdup.recorder).install
    RUBY
    "forks and profiles" => <<~RUBY,
      require "vernier"
      require "holdup/capture/vernier_profile"
      Holdup::Capture::VernierProfile.before_each { nil }
      Holdup::ForkHook.install(guard: GUARD) { nil }
    RUBY
    "puma" => <<~RUBY,
      require "puma"
      require "puma/server"
      require "puma/cluster"
      require "puma/launcher"
      require "rack/handler/puma"
      require "holdup/agent/servers/puma"
      adapter = Holdup::Servers::Puma.new(runtime: RUNTIME, middleware: MIDDLEWARE)
      adapter.install
      adapter.send(:hook_server_and_workers)
      adapter.send(:callbacks, Puma::RackHandler, after: {config: ->(*) {}})
    RUBY
    "falcon" => <<~RUBY,
      require "falcon"
      require "async/container"
      require "holdup/agent/servers/falcon"
      Holdup::Servers::Falcon.new(runtime: RUNTIME, middleware: MIDDLEWARE).install
      Holdup::Servers::AsyncContainer.new(runtime: RUNTIME).install
    RUBY
    "sidekiq" => <<~RUBY,
      require "sidekiq"
      require "sidekiq/launcher"
      require "holdup/agent/servers/sidekiq"
      Holdup::Servers::Sidekiq.new(runtime: RUNTIME).install
    RUBY
    "solid_queue" => <<~RUBY,
      require "rails"
      require "active_record/railtie"
      require "active_job/railtie"
      require "solid_queue"
      require "holdup/agent/servers/solid_queue"
      Holdup::Servers::SolidQueue.new(runtime: RUNTIME).install
    RUBY
    "good_job" => <<~RUBY
      require "rails"
      require "active_record/railtie"
      require "active_job/railtie"
      require "good_job"
      require "holdup/agent/servers/good_job"
      Holdup::Servers::GoodJob.new(runtime: RUNTIME).install
    RUBY
  }.freeze

  # The adapters' callbacks get what no server would give them, which must not reach the caller.
  BEFORE = <<~RUBY
    $LOAD_PATH.unshift(*#{%w[../../lib ..].map { |folder| File.expand_path(folder, __dir__) }.inspect})
    require "holdup"
    require "holdup/hooks/method_hook"
    require "contracts/hooked_method_contract"
    LOG = []
    def LOG.warn(line) = line.include?(" failed, ") || self.<<(line)
    GUARD = Holdup::Guard.new(log: LOG, clock: Holdup::Clock.new)
    RUNTIME = BasicObject.new
    def RUNTIME.guard = ::Object::GUARD
    def RUNTIME.recorder = ::Holdup.recorder
    def RUNTIME.wait_in_forks = yield
    MIDDLEWARE = ->(app) { app }
  RUBY
  AFTER = <<~RUBY
    hooks = Holdup::Hooks::MethodHook.all.select(&:original)
    contract = hooks.flat_map { |hook| HookedMethodContract.new(hook).breaches }
    puts hooks.map(&:title).sort
    puts "--"
    puts LOG, contract.first(10)
    $stdout.flush
    exit!(0)
  RUBY

  def server(name)
    <<~RUBY
      require #{name.dump}
      adapter = Holdup::Servers::ADAPTERS.fetch(#{name.dump})
      adapter.new(runtime: RUNTIME, middleware: MIDDLEWARE).install
    RUBY
  end

  # @return [Array<String>] the hooked methods
  def assert_contract(library)
    script = LIBRARIES.fetch(library) { server(library) }
    said = fresh_ruby("#{script}#{AFTER}", gems: true, prelude: BEFORE, timeout: 300)
    methods, breaches = said.split("--\n", 2).map(&:lines)
    assert_empty breaches.map(&:chomp), library
    methods.map(&:chomp)
  end

  EXPECTED = {
    "calls" => %w[
      Net::HTTP#request Net::HTTP#connect Excon::Connection#request HTTPX::Session#send_requests
      Redis::Client#process Dalli::Protocol::Base#request Dalli::PipelinedGetter#process
      Elastic::Transport::Client#perform_request OpenSearch::Transport::Client#perform_request
      Sidekiq::Client#push Sidekiq::Client#push_bulk PushedAdapter#enqueue ActiveJob::Base.assign_adapter
      Open3.capture2 Open3.capture2e Open3.capture3 Kernel#system Kernel#` Kernel.system Process.wait
      Process.waitpid2 ActiveRecord::ConnectionAdapters::AbstractAdapter#log
      ActiveSupport::Cache::Store#instrument ActiveSupport::Cache::Store#instrument_multi
      ActiveRecord::ConnectionAdapters::ConnectionPool::Queue#wait_poll
      ActiveRecord::ConnectionAdapters::RealTransaction#materialize!
      ActiveRecord::ConnectionAdapters::RealTransaction#commit
      ActiveRecord::ConnectionAdapters::RealTransaction#rollback
      ActiveRecord::ConnectionAdapters::RealTransaction#restart
      Sequel::Database#log_connection_yield Sequel::Database#begin_transaction
      Sequel::Database#remove_transaction
    ],
    "controllers" => %w[
      ActionDispatch::Request#controller_instance= ActionController::Instrumentation#append_info_to_payload
      ActionController::Instrumentation::ClassMethods#log_process_action Lograge.custom_options
      GraphQL::Tracing::Trace#execute_query
    ],
    "names" => %w[
      Roda::RodaPlugins::Base::RequestMethods#on Roda::RodaPlugins::Base::RequestMethods#is
      Roda::RodaPlugins::Base::RequestMethods#_verb
      Roda::RodaPlugins::OptimizedMatching::RequestMethods#on
      Roda::RodaPlugins::OptimizedMatching::RequestMethods#is
      Roda::RodaPlugins::OptimizedMatching::RequestMethods#_verb
      Hanami::Router#fixed Hanami::Router#variable Hanami::Router::Node#match
      Hanami::Router::MountedPath#endpoint_and_params MCP::Server#call_tool_with_args
      GRPC::RpcDesc#handle_request_response GRPC::RpcDesc#handle_client_streamer
      GRPC::RpcDesc#handle_server_streamer GRPC::RpcDesc#handle_bidi_streamer
    ],
    "tracers" => %w[
      OpenTelemetry::SDK::Trace::Span#initialize OpenTelemetry::SDK::Trace::Span#finish
      Datadog::Tracing::SpanOperation#start Datadog::Tracing::SpanOperation#finish
    ],
    "forks and profiles" => %w[Process._fork Process.daemon Vernier::Collector::TimeCollector#start],
    "puma" => %w[
      Puma::Launcher#run Puma::Server#run Puma::Server#stop Puma::ThreadPool#initialize
      Puma::Cluster::Worker#run Puma::Cluster::WorkerHandle#kill Puma::Configuration#run_hooks
      Puma::RackHandler#config
    ],
    "falcon" => %w[Falcon::Server#run Async::Container::Controller#start Async::Container::Generic#spawn],
    "unicorn" => %w[Unicorn::HttpServer#process_client Unicorn::HttpServer#init_worker_process],
    "pitchfork" => %w[Pitchfork::HttpServer#process_client Pitchfork::HttpServer#spawn_mold],
    "sidekiq" => %w[Sidekiq::Launcher#run Sidekiq::Launcher#stop],
    "solid_queue" => %w[SolidQueue::Worker#boot SolidQueue::Worker#shutdown SolidQueue::Supervisor#start],
    "good_job" => %w[GoodJob::Capsule#start GoodJob::Capsule#shutdown]
  }.freeze

  installed = Holdup::Servers::ADAPTERS.keys.select { |name| Gem::Specification.find_all_by_name(name).any? }
  (LIBRARIES.keys | installed).each do |library|
    define_method(:"test_each_hooked_method_of_#{library.tr(" ", "_")}") do
      assert_empty EXPECTED.fetch(library, []) - assert_contract(library)
    end
  end
end
