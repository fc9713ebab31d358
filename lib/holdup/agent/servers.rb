# frozen_string_literal: true

require_relative "../hooks/callbacks"
require_relative "servers/identity"

module Holdup
  # Adapters of servers and job runners, each loaded only where its server is loaded.
  #
  # An adapter has:
  # - `.here?`: whether it runs this process (a Gemfile may load servers that do not run)
  # - `.new(runtime:, middleware:)`: `middleware` wraps an application in the Rack middleware; job runners
  #   ignore it
  # - `#install`: hooks into the server's classes, once. It then calls `runtime.serve(Identity)` in each
  #   process that takes units, once that is ready, and `runtime.wait_for_server` in one that stops taking any
  module Servers
    # Class of a server => loads its adapter, once that class exists. `holdup exec` waits for these classes.
    KNOWN = {
      "Puma::Launcher" => -> {
        require_relative "servers/puma"
        Puma
      },
      "Puma::RackHandler" => -> { # `rails server` loads the launcher after the application
        require_relative "servers/puma"
        Puma
      },
      "Unicorn::HttpServer" => -> {
        require_relative "servers/unicorn"
        Unicorn
      },
      "Pitchfork::HttpServer" => -> {
        require_relative "servers/pitchfork"
        Pitchfork
      },
      "Async::Container::Controller" => -> {
        require_relative "servers/falcon"
        AsyncContainer
      },
      "Falcon::Server" => -> {
        require_relative "servers/falcon"
        Falcon
      },
      "Sidekiq::Launcher" => -> {
        require_relative "servers/sidekiq"
        Sidekiq
      },
      "Sidekiq::Shutdown" => -> {
        SidekiqLibrary
      },
      "SolidQueue::Worker" => -> {
        require_relative "servers/solid_queue"
        SolidQueue
      },
      "GoodJob::ThreadStatus" => -> {
        require_relative "servers/good_job"
        GoodJob
      }
    }.freeze

    # Titles that Puma and Unicorn give a worker before it loads the application.
    WORKER_TITLE = /\A(?:puma: cluster worker |unicorn\S* worker\[)(\d+)/

    # @param title [String] of a process
    # @return [Integer, nil] index of the worker that it is; nil if the title does not say it
    def self.worker(title) = title[WORKER_TITLE, 1]&.to_i

    class Attachment
      def initialize(runtime:, middleware:, known: KNOWN)
        @runtime = runtime
        @middleware = middleware
        @known = known
        @installed = {}
      end

      # Installs the adapters of all loaded servers, also of those that may run in this process later (an
      # embedded job runner).
      # @return [Boolean] whether a server runs this process; its adapter then starts measuring
      def call
        loaded.each { |constant| install(constant) }
        here?
      end

      def here?
        loaded.any? { |constant| @known[constant].call.here? }
      end

      # Installs one adapter, whether or not its server will run.
      # @param constant [String] a key of KNOWN whose class exists
      def install(constant)
        adapter = @known.fetch(constant).call
        @installed[adapter] ||= adapter.new(runtime: @runtime, middleware: @middleware).tap(&:install)
      end

      private

      def loaded
        @known.keys.select { |constant| Object.const_defined?(constant) }
      end
    end
  end

  module Servers
    # A process in which Sidekiq is loaded but does not run: usually a client, but it may embed Sidekiq later
    # (Sidekiq.configure_embed in a Puma worker). Sidekiq then calls the blocks of `configure_server`, with
    # its launcher loaded and not yet running.
    class SidekiqLibrary
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
        require_relative "servers/sidekiq"
        Sidekiq.new(runtime: @runtime, middleware: @middleware).install
      end
    end
  end
end
