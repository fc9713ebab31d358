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
  # - `AWAITS`: classes of the server; the adapter is loaded when one of them exists
  # - `PROCESSES`, and what else Servers::Adapter asks: for readers in other processes
  # - `#install`: hooks into the server's classes, once. It then calls `runtime.serve(Identity)` in each
  #   process that takes units, once that is ready, and `runtime.wait_for_server` in one that stops taking any
  module Servers
    # Classes of servers, and for each the file and the class of its adapter. `rake servers` writes it from
    # the adapters' AWAITS.
    AWAITED = File.join(__dir__, "servers/awaited.txt")
    # Class of a server => loads its adapter, once that class exists. `holdup exec` waits for these classes.
    KNOWN = File.readlines(AWAITED).to_h { |line|
      constant, file, adapter = line.split
      load = -> {
        require File.join(__dir__, "servers", file)
        const_get(adapter)
      }
      [constant, load]
    }.freeze
    autoload :Adapter, File.join(__dir__, "servers/adapter.rb")
    autoload :ADAPTERS, File.join(__dir__, "servers/all.rb")

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
end
