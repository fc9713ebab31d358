# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../recorder"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Measures each call that a server of the gem grpc answers as a request: "shop.Orders/Place". The server
    # has threads of its own and is no Rack server. How long a call waited for its thread is unknown.
    class GrpcMethods
      include Runtime::Resource

      # What answers a call, by its kind. All of them raise what the application raises; their callers rescue
      # it.
      HANDLERS = %i[handle_request_response handle_client_streamer handle_server_streamer
        handle_bidi_streamer].freeze
      # Status codes that are failures of the server, as OpenTelemetry has them: unknown, deadline exceeded,
      # unimplemented, internal, unavailable, data loss. The others answer what a client has done.
      FAILURES = [2, 4, 12, 13, 14, 15].freeze
      private_constant :HANDLERS

      # @param recorder [Recorder]
      def initialize(recorder:)
        @recorder = recorder
        @guard = recorder.guard
        @names = {}.compare_by_identity
      end

      def install
        @hooked ||= hook if loaded?
      end

      # @param method [Method] of the application's service
      # @param description [GRPC::RpcDesc]
      # @return [Object] the block's value; its exception passes unchanged
      def measure(method, description)
        name = @guard.call(:name) { name(method.receiver.class, description) } if ::Method === method
        return yield unless name
        answer = answered = nil
        @recorder.measure(name, kind: :request) do
          answer = yield
        rescue ::GRPC::BadStatus => error
          raise if FAILURES.include?(error.code)
          answered = error
        end
        answered ? raise(answered) : answer
      end

      private

      # A description belongs to one method of one service.
      def name(service, description)
        @names[description] ||= begin
          full = (service.service_name if service.respond_to?(:service_name)) || service.name
          "#{full}/#{description.name}".freeze
        end
      end

      def loaded? = ::GRPC.const_defined?(:RpcDesc, false) && ::GRPC.const_defined?(:BadStatus, false)

      def hook
        HANDLERS.each do |name|
          Hooks::MethodHook.new(::GRPC::RpcDesc, name, by: :grpc, constants: {HoldupGrpc: self}) { |method|
            "HoldupGrpc.measure(#{method.positional(1)}, self) { #{method.call} }"
          }.install(@guard)
        end
        true
      end
    end
  end
end
