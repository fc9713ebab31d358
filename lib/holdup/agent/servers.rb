# frozen_string_literal: true

require_relative "servers/identity"
require_relative "servers/lever"

module Holdup
  # The servers and job runners that Holdup is at home in: one adapter each, loaded only where its server is.
  #
  # An adapter answers:
  # - `.here?`: whether this very process is run by it (a Gemfile may load servers that nobody runs)
  # - `.new(runtime:, middleware:)`: `middleware` puts the Rack middleware around an application; job runners
  #   ignore it
  # - `#install`: hooks into the server's classes, again: nothing. From then on it calls
  #   `runtime.serve(Identity)` in each process that takes units, when that is ready, and
  #   `runtime.wait_for_server` in one that stops taking any
  module Servers
    # The class by which a server is known to be loaded => how its adapter is. `holdup exec` waits for these
    # constants.
    KNOWN = {
      "Puma::Launcher" => -> {
        require_relative "servers/puma"
        Puma
      },
      "Puma::RackHandler" => -> { # `rails server` loads the launcher after the application
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
        require_relative "servers/async_container"
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
        require_relative "servers/sidekiq_library"
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

    # Joins the servers of a process, each once.
    class Attachment
      # @param runtime [Runtime]
      # @param middleware [#call]
      # @param known [Hash{String => #call}] see KNOWN
      def initialize(runtime:, middleware:, known: KNOWN)
        @runtime = runtime
        @middleware = middleware
        @known = known
        @joined = {}
      end

      # Joins whatever server runs this process, and those that are loaded and may come to run in it (a job
      # runner embedded in a web server).
      # @return [Boolean] whether one runs it: that one starts measuring when it is ready
      def call
        loaded.each { |constant| install(constant) }
        here?
      end

      # @return [Boolean] whether a server or job runner that is known runs this process; joins none
      def here?
        loaded.any? { |constant| @known[constant].call.here? }
      end

      # Joins one server, whether or not it will run.
      # @param constant [String] a key of KNOWN whose class exists
      # @return [void]
      def install(constant)
        adapter = @known.fetch(constant).call
        @joined[adapter] ||= adapter.new(runtime: @runtime, middleware: @middleware).tap(&:install)
      end

      private

      def loaded
        @known.keys.select { |constant| Object.const_defined?(constant) }
      end
    end
  end
end
