# frozen_string_literal: true

require_relative "../../hooks/callbacks"

module Holdup
  module Servers
    # Notes which processes a gem ends, because they have grown too large or old: puma_worker_killer in the
    # master, unicorn-worker-killer and sidekiq-worker-killer in the process itself. Such a process ends its
    # work and closes its segment as in a restart, so only the killer knows better.
    #
    # A rolling restart of puma_worker_killer by time is a restart.
    class WorkerKillers
      # - `owner`: gives the class whose methods are hooked, nil without the gem
      # - `methods`: {method => what gives the pid of the process that it ends, from receiver and arguments}
      KillerGem = Data.define(:owner, :methods)
      private_constant :KillerGem

      PUMA = KillerGem.new(
        owner: -> { ::PumaWorkerKiller::PumaMemory if defined?(::PumaWorkerKiller::PumaMemory) },
        methods: {term_worker: ->(_memory, worker) { worker.pid },
                  term_largest_worker: ->(memory) { memory.largest_worker&.pid }}
      )
      UNICORN = KillerGem.new(
        owner: -> { ::Unicorn::WorkerKiller.singleton_class if defined?(::Unicorn::WorkerKiller) },
        methods: {kill_self: ->(*) { Process.pid }}
      )
      SIDEKIQ = KillerGem.new(
        owner: -> { ::Sidekiq::WorkerKiller if defined?(::Sidekiq::WorkerKiller) },
        methods: {shutdown: ->(*) { Process.pid }}
      )

      # @param gem [Object] one of the above
      # @param exits [WorkerExits]
      # @param by [Symbol] place for the guard
      def initialize(gem, exits, guard:, by:)
        @gem = gem
        @exits = exits
        @guard = guard
        @by = by
      end

      # Whenever the gem may have been loaded; once is enough.
      # @return [void]
      def install
        return if @installed
        owner = @gem.owner.call or return
        @installed = true
        noting = @gem.methods.transform_values { |pid| ->(*given) { @exits.killed(pid.call(*given)) } }
        Hooks::Callbacks.install(owner, by: @by, key: self, guard: @guard, before: noting)
      end
    end
  end
end
