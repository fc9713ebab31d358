# frozen_string_literal: true

module Holdup
  module Instrumentation
    # Keeps the name of the endpoint that a request asked for, when another one answers in its place with the
    # same Rack environment: Warden (Devise) calls its failure application for who may not pass. Without this,
    # all such requests would have that application's name.
    #
    # A resource of the runtime.
    class AskedEndpoint
      # @param names [#call] the UnitName of now
      def initialize(names)
        @names = names
      end

      def install
        @warden ||= watch_warden if defined?(::Warden::Manager.prepend_before_failure)
      end

      def facts = {}

      def pools = []

      def gauges = {}

      def profile = {}

      private

      # Warden has changed the path by then, and says which one was asked for.
      def watch_warden
        names = @names
        ::Warden::Manager.prepend_before_failure do |env, options|
          names.call.keep_asked(env, path: options[:attempted_path].to_s.sub(/\?.*/m, ""))
        end
        true
      end
    end
  end
end
