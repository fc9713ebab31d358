# frozen_string_literal: true

require_relative "../../model/quantities"

module Holdup
  module Jit
    # Gems that end processes that have grown too large: a limit that was right without a JIT ends each worker
    # before it is warm.
    #
    # Detected inside such a process: puma_worker_killer (1.0) by its settings, unicorn-worker-killer (0.4) by
    # variables of the server, sidekiq-worker-killer (1.1) by the middleware chain, Sidekiq Enterprise's swarm
    # by an environment variable. Puma, Unicorn, Pitchfork and Sidekiq themselves have no such limit.
    module MemoryKillers
      # - `name`: of the gem; `server`: whose processes it ends
      # - `limit_bytes`: resident memory of `of`: "process", or "all" (the server with all of its workers)
      # - `units`: limit in units, whatever the memory; `every_s`: limit in seconds
      # - `unit_bytes`: bytes that the limit grows by when its setting grows by one
      Killer = Data.define(:name, :server, :of, :limit_bytes, :units, :every_s, :unit_bytes) do
        def initialize(
          name:, server:, of: "process", limit_bytes: nil, units: nil, every_s: nil, unit_bytes: nil
        )
          super
        end

        def facts
          to_h.compact.transform_keys { |key| "killer.#{key}" }
        end
      end

      SWARM = "SIDEKIQ_MAXMEM_MB"

      module_function

      def here(env: ENV)
        puma || unicorn || sidekiq || swarm(env)
      end

      # The gem adds up master and workers, and ends the largest.
      def puma
        return unless defined?(::PumaWorkerKiller.percent_usage)
        killer = ::PumaWorkerKiller
        every_s = killer.rolling_restart_frequency || nil
        unit_bytes = (killer.percent_usage * MIB).floor
        limit_bytes = (killer.ram * killer.percent_usage * MIB).round
        Killer.new(name: "puma_worker_killer", server: "puma", of: "all", limit_bytes:, every_s:, unit_bytes:)
      end

      # Each worker takes a limit at random between two; the lower one counts.
      def unicorn
        if defined?(::Unicorn::WorkerKiller) && defined?(::Unicorn::HttpServer)
          server = ObjectSpace.each_object(::Unicorn::HttpServer).first
        end
        limit_bytes = server&.instance_variable_get(:@_worker_memory_limit_min)
        units = server&.instance_variable_get(:@_worker_max_requests_min)
        return unless limit_bytes || units
        Killer.new(name: "unicorn-worker-killer", server: "unicorn", limit_bytes:, units:, unit_bytes: 1)
      end

      def sidekiq
        return unless defined?(::Sidekiq::WorkerKiller) && ::Sidekiq.respond_to?(:default_configuration)
        chain = ::Sidekiq.default_configuration.server_middleware
        entry = chain.find { |each| each.klass == ::Sidekiq::WorkerKiller }
        limit_bytes = entry&.make_new&.instance_variable_get(:@max_rss).to_i * MIB
        return unless limit_bytes.positive?
        Killer.new(name: "sidekiq-worker-killer", server: "sidekiq", limit_bytes:, unit_bytes: MIB)
      end

      def swarm(env)
        limit = Integer(env[SWARM].to_s, 10, exception: false)
        return unless limit&.positive?
        Killer.new(name: "sidekiqswarm", server: "sidekiq", limit_bytes: limit * MIB, unit_bytes: MIB)
      end
      private_class_method :puma, :unicorn, :sidekiq, :swarm
    end
  end
end
