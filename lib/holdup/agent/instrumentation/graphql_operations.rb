# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../recorder"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Names a request after the GraphQL operation that it executes ("GraphQL: Orders"), because all of them
    # have the same controller and action. The gem graphql passes each operation through `execute_query` of
    # its schema's trace, whose modules all end in that of GraphQL::Tracing::Trace.
    class GraphqlOperations
      include Runtime::Resource

      # Clients give the names: there are few in an application, but nothing keeps a client from more.
      MOST = 200
      # Three digits in a row may be an id.
      PERHAPS_ID = /\d{3}/
      OTHERS = "GraphQL: (others)"

      # @param guard [Guard]
      def initialize(guard:)
        @guard = guard
        @names = {}
      end

      def install
        @hooked ||= hook if trace_loaded?
      end

      # Of several operations in one request the first one counts. An operation without a name leaves the
      # request's.
      # @param query [GraphQL::Query] that is about to be executed
      # @return [void]
      def executing(query)
        @guard.call(:name) do
          unit = Recorder::OpenUnit.current
          next unless unit.is_a?(RequestUnit)
          operation = query.selected_operation&.name
          unit.asked_for(name(operation)) if operation
        end
      end

      private

      # Asking for an autoloaded constant loads it, which is not ours to do.
      def trace_loaded?
        defined?(::GraphQL::Tracing) && !::GraphQL.autoload?(:Tracing) &&
          !::GraphQL::Tracing.autoload?(:Trace) && ::GraphQL::Tracing.const_defined?(:Trace, false)
      end

      def name(operation)
        known = @names[operation]
        return known if known
        return OTHERS if PERHAPS_ID.match?(operation) || @names.size >= MOST
        @names[operation] = "GraphQL: #{operation}".freeze
      end

      # The method gets these parameters whatever it has, so it must be one that takes them.
      def hook
        trace = ::GraphQL::Tracing::Trace
        hook = Hooks::MethodHook.new(trace, :execute_query, by: :name, takes: "query:, **options",
          constants: {HoldupOperations: self}) do |method|
          "HoldupOperations.executing(query)\n#{method.call}"
        end
        if takes_query?(trace.instance_method(:execute_query))
          hook.install(@guard)
        else
          @guard.not_hooked(hook.title, "it has other parameters")
        end
        true
      end

      # Another gem's method in its place may take anything.
      def takes_query?(method)
        types = method.parameters - [%i[keyreq query]]
        (types.map(&:first) - %i[rest keyrest block]).empty? && method.parameters.any?
      end
    end
  end
end
