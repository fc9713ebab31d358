# frozen_string_literal: true

module Holdup
  module Servers
    # A process in which Sidekiq is loaded but does not run: usually a client, but it may embed Sidekiq later
    # (Sidekiq.configure_embed in a Puma worker). Sidekiq then calls the blocks of `configure_server`, with
    # its launcher loaded and not yet running.
    class SidekiqLibrary
      AWAITS = %w[Sidekiq::Shutdown].freeze

      # The loaded library does not make the process a server.
      def self.here? = false

      def initialize(runtime:, middleware: nil)
        @runtime = runtime
        @middleware = middleware
      end

      def install
        ::Sidekiq.configure_server { @runtime.guard.call(:sidekiq) { join } }
      end

      private

      def join
        require_relative "sidekiq"
        Sidekiq.new(runtime: @runtime, middleware: @middleware).install
      end
    end
  end
end
