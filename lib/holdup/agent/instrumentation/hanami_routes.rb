# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "unit_name"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Keeps the pattern of the route that Hanami's router (2.2 and later) has found, "/books/:id", for the
    # name of a request. The environment has only its parameters.
    class HanamiRoutes
      include Runtime::Resource

      # Fiber-local: the leaf of the router's tree that has matched last.
      LEAF = :holdup_hanami_leaf
      MOST_BYTES = 200
      private_constant :LEAF, :MOST_BYTES

      # @param guard [Guard]
      def initialize(guard:)
        @guard = guard
      end

      def install
        @hooked ||= hook if loaded?
      end

      # @param env [Hash] the Rack environment, whose path is a route without variables
      # @return [void]
      def fixed(env)
        keep(env) { env["PATH_INFO"] }
      end

      # @param leaf [Hanami::Router::Leaf, nil] of a route with variables
      # @return [void]
      def matched(leaf)
        Thread.current[LEAF] = leaf
      end

      # @param env [Hash] the Rack environment that has matched
      # @return [void]
      def variable(env)
        keep(env) { Thread.current[LEAF]&.matcher }
        Thread.current[LEAF] = nil
      end

      # @param env [Hash] the Rack environment that another application will answer
      # @param prefix [Object] where it is mounted
      # @return [void]
      def mounted(env, prefix)
        keep(env) { (prefix.to_s == "/") ? nil : prefix }
      end

      private

      # After what the routers around have found.
      # @yieldreturn [#to_s] the next part of the pattern
      def keep(env)
        return unless Hash === env
        @guard.call(:name) do
          pattern = env[UnitName::PATTERN].to_s + yield.to_s
          env[UnitName::PATTERN] = pattern unless pattern.empty? || pattern.bytesize > MOST_BYTES
        end
      end

      # The router requires all of its files at once.
      def loaded?
        %i[Node MountedPath].all? { |name| ::Hanami::Router.const_defined?(name, false) } &&
          ::Hanami::Router.private_method_defined?(:lookup)
      end

      def hook
        router = ::Hanami::Router
        after(router, :fixed, "env") { |env| "HoldupRoutes.fixed(#{env})" }
        after(router::Node, :match, "path") { "HoldupRoutes.matched(holdup_found)" }
        after(router, :variable, "env") { |env| "HoldupRoutes.variable(#{env})" }
        after(router::MountedPath, :endpoint_and_params, "env") do |env|
          "HoldupRoutes.mounted(#{env}, @prefix) unless holdup_found == []"
        end
        true
      end

      # @yieldreturn [String] code that runs where the method has found something
      def after(owner, name, signature)
        Hooks::MethodHook.new(owner, name, by: :name, signatures: [signature], block: false,
          constants: {HoldupRoutes: self}) { |method| <<~RUBY }.install(@guard)
            holdup_found = #{method.call}
            if holdup_found
              #{yield method.positional(0)}
            end
            holdup_found
          RUBY
      end
    end
  end
end
