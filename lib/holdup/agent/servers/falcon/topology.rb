# frozen_string_literal: true

require_relative "../config_line"
require_relative "../lever"

module Holdup
  module Servers
    class Falcon
      # How many processes and event loops a Falcon has, and where that is said. Asked in a worker, where the
      # controller may be gone (nothing refers to it after the fork); what a worker is made of is there.
      # Without any of that (rackup) it is one process with one loop.
      class Topology
        FILE = "falcon.rb"

        # @param name [String, nil] of this worker's service, where it is known
        # @return [Topology] of this process
        def self.here(name)
          services = defined?(::Falcon::Service::Server) ? ObjectSpace.each_object(::Falcon::Service::Server).to_a : []
          service = services.find { |each| each.name == name } || services.first
          new(service&.environment&.evaluator, forked: any?("Async::Container::Forked::Child::Instance"),
            threaded: any?("Async::Container::Threaded::Child::Instance"))
        end

        def self.any?(type)
          Object.const_defined?(type) && ObjectSpace.each_object(Object.const_get(type)).any?
        end
        private_class_method :any?

        # @param environment [Async::Service::Environment::Evaluator, nil] of the service
        # @param forked [Boolean] whether this process was forked as a worker
        # @param threaded [Boolean] whether workers are threads here
        def initialize(environment, forked:, threaded:)
          @environment = environment
          @forked = forked
          @threaded = threaded
          @options = environment&.container_options || {}
        end

        # @return [Integer] worker processes; 0 when the only process does the work
        def processes
          return 0 unless @forked
          @threaded ? forks : count
        end

        # @return [Integer] event loops of each process
        def threads
          return 1 unless @threaded
          @forked ? @options[:threads] || (count / forks).ceil : count
        end

        # @return [Boolean] whether something is loaded before the workers are forked
        def preload?
          !!@environment && Array(@environment.preload).any?
        end

        # @return [Array<Lever>]
        def levers
          levers = []
          levers << lever("processes", processes, @threaded ? "--forks N" : "--count N", "count N") if @forked
          if @threaded
            levers << lever("threads", threads, @forked ? "--hybrid --threads N" : "--threaded --count N",
              nil)
          end
          levers
        end

        private

        def processors = ::Async::Container.processor_count

        # As Async::Container::Generic#run and Hybrid#run have it.
        def count
          @options[:count] || ((@forked && @threaded) ? processors**2 : processors)
        end

        def forks
          @options[:forks] || [processors, count].min
        end

        # HUP forks new workers of the configuration that was read at the start.
        def lever(name, value, option, setting)
          line = setting && configuration && ConfigLine.find(configuration, setting[/\w+/])
          how = configuration ? "#{setting || option} in #{FILE}, then a restart of the whole server" : "falcon serve #{option}"
          Lever.new(name:, value:, how:, where: line&.place)
        end

        # `falcon host` only; `falcon serve` has options instead.
        def configuration
          @configuration ||= @environment&.root&.then { |root| File.join(root, FILE) }&.then { |path|
            path if File.file?(path) && !served?
          }
        end

        def served?
          defined?(::Falcon::Environment::Serve) && @environment.is_a?(::Falcon::Environment::Serve)
        end
      end
    end
  end
end
