# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Keeps the name of the endpoint that a request asked for, when another one answers in its place with the
    # same Rack environment: Warden (Devise) calls its failure application for who may not pass, and
    # applications have a controller that shows errors of others. Without this, all such requests would have
    # that one's name.
    class AskedEndpoint
      include Runtime::Resource

      # A controller that answers so passes the request on: the next one was asked for (Rack::Cascade).
      PASSED_ON = [404, 405].freeze

      # @param names [#call] the UnitName of now
      # @param guard [Guard]
      def initialize(names, guard:)
        @names = names
        @guard = guard
      end

      def install
        @warden ||= watch_warden if defined?(::Warden::Manager.prepend_before_failure)
        @controllers ||= watch_controllers if request_loaded?
      end

      # @param first [Object] the controller that had the request until now
      # @param second [Object] the one that takes it over
      def taken_over(env, first, second)
        return if first.equal?(second)
        @guard.call(:name) { @names.call.keep_asked(env) unless passed_on?(first) }
      end

      private

      # Warden has changed the path by then, and says which one was asked for.
      def watch_warden
        names = @names
        ::Warden::Manager.prepend_before_failure do |env, options|
          names.call.keep_asked(env, path: options[:attempted_path].to_s.sub(/\?.*/m, ""))
        end
        true
      end

      # Asking for an autoloaded constant loads it, which is not ours to do.
      def request_loaded?
        defined?(::ActionDispatch) && !::ActionDispatch.autoload?(:Request) &&
          ::ActionDispatch.const_defined?(:Request, false)
      end

      def watch_controllers
        hook = Hooks::MethodHook.new(::ActionDispatch::Request, :controller_instance=, by: :name,
          signatures: ["controller"], constants: {HoldupAsked: self}) do |method|
          <<~RUBY
            holdup_first = @env && @env["action_controller.instance"]
            HoldupAsked.taken_over(@env, holdup_first, controller) if holdup_first
            #{method.call}
          RUBY
        end
        hook.install(@guard)
        true
      end

      def passed_on?(controller)
        response = controller.response
        !response.nil? && PASSED_ON.include?(response.status)
      end
    end
  end
end
