# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # Whether the JIT was switched on at the right place: in the processes that take units, after the
      # application was loaded. Where a server forks its workers from a worker, they are meant to have it from
      # there, so these are left out.
      class ActivationOrigins
        # One process: `facts`, `server`: its name, `worker`: whether it is one of a forking server, `refork`:
        # whether workers fork others
        ProcessOrigin = Data.define(:facts, :server, :worker, :refork)

        # What the workers of one server tell of their master: `inherited`: Facts of those that have it from
        # there, `without`: of those that were forked before it was on.
        MasterProcess = Data.define(:inherited, :without) do
          # A hook that runs in the master after it has forked its first worker leaves that one without.
          def wrong_hook?
            inherited.any? && without.any?
          end

          # @return [Boolean] off there and on in a worker, as it should be
          def off?
            inherited.empty? && without.any?(&:on?)
          end

          def on?
            inherited.any? && !wrong_hook?
          end

          # @return [Boolean] on there, although `config.jit` asks for it in each worker
          def too_early?
            on? && inherited.any? { |facts| facts.wish == "on" }
          end

          def by = inherited.first.by
        end

        # @param places [Array<ProcessOrigin>]
        def initialize(places)
          @places = places.reject(&:refork)
        end

        # @return [Array<JitFacts>] of those that had it from Ruby's start
        def at_start
          @places.map(&:facts).select { |facts| facts.on? && facts.at_boot? }
        end

        # Whatever else a worker forks has its JIT from there, and is no worker.
        # @return [Array<MasterProcess>]
        def masters
          @places.select(&:worker).group_by(&:server).values.map do |workers|
            facts = workers.map(&:facts)
            MasterProcess.new(inherited: facts.select(&:inherited?),
              without: facts.select { |one| one.parent == "off" })
          end
        end
      end
    end
  end
end
