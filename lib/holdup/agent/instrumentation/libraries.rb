# frozen_string_literal: true

require_relative "../../model/clock"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # What hooks into the application's libraries: the file of each is loaded once the application has its
    # library.
    class Libraries
      # @param recorder [Recorder]
      # @param jobs [#call] gives the JobUnits
      def initialize(recorder:, jobs:)
        @recorder = recorder
        @guard = recorder.guard
        @jobs = jobs
        @clock = Clock.new
      end

      # @yieldparam resource [Runtime::LateResource]
      def each(&) = [*pools, *names, *units, tracers].each(&)

      private

      # They wait for connections.
      def pools
        active_record = -> { defined?(::ActiveSupport) }
        sequel = -> { defined?(::Sequel::ConnectionPool) }
        gem = -> { defined?(::ConnectionPool::TimedStack) }
        [late("connection_pool", active_record) { ConnectionPool.new(guard: @guard, clock: @clock) },
          late("sequel_pool", sequel) { SequelPool.new(guard: @guard, clock: @clock) },
          late("connection_pool_gem", gem) { ConnectionPoolGem.new(guard: @guard, clock: @clock) }]
      end

      # They name requests.
      def names
        graphql = -> { defined?(::GraphQL::Tracing) }
        mcp = -> { defined?(::MCP::Server) }
        roda = -> { defined?(::Roda::RodaPlugins::Base::RequestMethods) }
        hanami = -> { defined?(::Hanami::Router) }
        [late("graphql_operations", graphql) { GraphqlOperations.new(guard: @guard) },
          late("mcp_tools", mcp) { McpTools.new(guard: @guard) },
          late("roda_routes", roda) { RodaRoutes.new(guard: @guard) },
          late("hanami_routes", hanami) { HanamiRoutes.new(guard: @guard) }]
      end

      # They run requests and jobs in threads of their own.
      def units
        cable = -> { defined?(::ActionCable) }
        grpc = -> { defined?(::GRPC::RpcServer) }
        consumers = -> { defined?(::Shoryuken) || defined?(::Sneakers) || defined?(::Karafka) }
        thread_pools = -> { defined?(::ActiveJob) || defined?(::SuckerPunch) }
        futures = -> { defined?(::Concurrent) }
        [late("cable_actions", cable) { CableActions.new(jobs: @jobs, guard: @guard) },
          late("grpc_methods", grpc) { GrpcMethods.new(recorder: @recorder) },
          late("message_consumers", consumers) { MessageConsumers.new(@jobs, guard: @guard) },
          late("thread_pool_jobs", thread_pools) { ThreadPoolJobs.new(@jobs, guard: @guard) },
          late("futures", futures) { Futures.new(@jobs, guard: @guard) }]
      end

      def tracers
        needed = lambda do
          defined?(::OpenTelemetry::SDK::Trace::Span) || defined?(::Datadog::Tracing::SpanOperation)
        end
        late("tracers", needed) { Tracers.new(recorder: @recorder) }
      end

      def late(file, needed)
        Runtime::LateResource.new(needed) do
          require_relative file
          yield
        end
      end
    end
  end
end
