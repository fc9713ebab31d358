# frozen_string_literal: true

require_relative "../config_line"
require_relative "../lever"

module Holdup
  module Servers
    class Falcon
      # How many processes and event loops a Falcon has, and where that is said. Without a controller (rackup) it is one
      # process with one loop.
      class Topology
        FILE = "falcon.rb"

        # @param controller [Async::Service::Controller, nil]
        def initialize(controller)
          @container = controller&.container_class
          service = controller&.services&.grep(::Falcon::Service::Server)&.first
          @environment = service&.environment&.evaluator
          @options = @environment&.container_options || {}
        end

        # @return [Integer] worker processes; 0 when the only process does the work
        def processes
          return 0 unless forks?
          hybrid? ? forks : count
        end

        # @return [Integer] event loops of each process
        def threads
          return 1 unless @container
          return count unless forks?
          hybrid? ? @options[:threads] || (count / forks).ceil : 1
        end

        # @return [Boolean] whether something is loaded before the workers are forked
        def preload? = !!@environment && Array(@environment.preload).any?

        # @return [Array<Lever>]
        def levers
          levers = []
          levers << lever("processes", processes, hybrid? ? "--forks N" : "--count N", "count N") if forks?
          levers << lever("threads", threads, hybrid? ? "--threads N" : "--threaded --count N", nil) if threads > 1
          levers
        end

        private

        def forks? = !!@container&.multiprocess?

        def hybrid? = defined?(::Async::Container::Hybrid) && @container == ::Async::Container::Hybrid

        def processors = ::Async::Container.processor_count

        # As Async::Container::Generic#run and Hybrid#run have it.
        def count = @options[:count] || (hybrid? ? processors**2 : processors)

        def forks = @options[:forks] || [processors, count].min

        # HUP forks new workers of the configuration that was read at the start.
        def lever(name, value, option, setting)
          line = setting && configuration && ConfigLine.find(configuration, setting[/\w+/])
          how = configuration ? "#{setting || option} in #{FILE}, then a restart of the whole server" : "falcon serve #{option}"
          Lever.new(name:, value:, how:, where: line&.place)
        end

        # `falcon host` only; `falcon serve` has options instead.
        def configuration
          @configuration ||= @environment&.root&.then { |root| File.join(root, FILE) }&.then { |path| path if File.file?(path) && !served? }
        end

        def served? = defined?(::Falcon::Environment::Serve) && @environment.is_a?(::Falcon::Environment::Serve)
      end
    end
  end
end
