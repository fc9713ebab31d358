# frozen_string_literal: true

module Holdup
  module Analysis
    # The JIT of all processes that were sampled.
    #
    #   report = JitReport.new(store.processes(from, to), settings: {"a1b2" => setting})
    #   report.on.sum { |life| life.facts.memory_bytes }
    class JitReport
      # What a limit that is reached is raised to.
      LARGER = 1.25

      # What a process grows by, for bytes of code and metadata.
      def self.memory(bytes)
        JitMemory.growth(bytes)
      end

      def self.with_metadata(bytes)
        bytes * Holdup::Jit::TOTAL_TO_CODE
      end

      # A process that is still there may lack so many samples.
      MISSING = 3

      attr_reader :every_s

      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @param settings [Hash{String => Setting}] by fingerprint
      # @param every_s [Integer] seconds between two samples of a process
      def initialize(samples, settings: {}, every_s: ProcessReport::EVERY_S)
        processes = samples.reject { |sample| ProcessReport::SampleTrail.container?(sample) }
        @samples = processes.sort_by { |sample| sample[:at_s] }
        @settings = settings
        @every_s = every_s
      end

      # Lives of processes whose JIT is known.
      def lives
        @lives ||= begin
          lives = ProcessReport::SampleTrail.all(@samples).map { |trail| life(trail) }
          known = lives.select { |life| life.facts.kind }
          known.sort_by { |life| [life.host.to_s, life.born_s, life.name.to_s, life.pid] }
        end
      end

      # Processes that had not ended at last; where all have, those that ended last.
      def present
        @present ||= begin
          latest = lives.select { |life| life.last_s >= newest_s - MISSING * @every_s }
          latest.all?(&:ended?) ? latest : latest.reject(&:ended?)
        end
      end

      def on
        present.select { |life| life.facts.on? }
      end

      # @return [Array<ProcessLife>] those for which advice on YJIT's options holds
      def yjit
        on.select { |life| life.facts.yjit? }
      end

      def off
        present.select { |life| life.facts.off? }
      end

      def origins
        ActivationOrigins.new(present.map(&:origin))
      end

      # Workers that were replaced before their JIT paid, one for each server.
      def wasted
        ProcessLife::WorkerLifetimes.of(@samples).select(&:wasted?)
      end

      def servers
        @servers ||= begin
          servers = lives.group_by(&:server).map do |name, same|
            ServerJit.new(name, same, present.select { |life| life.server == name })
          end
          servers.sort_by { |server| server.name.to_s }
        end
      end

      private

      def newest_s = lives.map(&:last_s).max

      def life(trail)
        ProcessLife.new(trail, setting: @settings[trail[:setting]]&.attributes || {})
      end

      # Whether the JIT was switched on at the right place: in the processes that take units, after the
      # application was loaded. Workers that a worker forked inherit it on purpose, so these are left out.
      class ActivationOrigins
        # `server`: its name; `worker`: whether its server forks; `refork`: whether workers fork others
        ProcessOrigin = Data.define(:facts, :server, :worker, :refork)

        # The master of one server, from its workers: `inherited`: JitFacts of those that have the JIT from
        # it, `without`: of those that were forked before it was on.
        MasterProcess = Data.define(:inherited, :without) do
          # A hook that runs in the master after it has forked its first worker leaves that one without.
          def wrong_hook?
            inherited.any? && without.any?
          end

          def off?
            inherited.empty? && without.any?(&:on?)
          end

          def on?
            inherited.any? && !wrong_hook?
          end

          # The JIT is on in the master, although `config.jit` asks for it in each worker.
          def too_early?
            on? && inherited.any? { |facts| facts.wish == "on" }
          end

          def by = inherited.first.by
        end

        def initialize(origins)
          @origins = origins.reject(&:refork)
        end

        # Facts of processes that had YJIT from Ruby's start.
        def at_start
          @origins.map(&:facts).select { |facts| facts.yjit? && facts.at_boot? }
        end

        # Only workers count: other processes that a worker forks inherit its JIT. What is said of the hook is
        # for YJIT.
        def masters
          workers = @origins.select(&:worker).reject { |origin| origin.facts.zjit? }
          workers.group_by(&:server).values.map do |workers|
            facts = workers.map(&:facts)
            without = facts.select { |worker| worker.parent == "off" }
            MasterProcess.new(inherited: facts.select(&:inherited?), without:)
          end
        end
      end

      # The JIT in all processes of one server. Figures are medians over the present processes with a JIT.
      class ServerJit
        # What YJIT adds to a process at the default limits: 48 MiB of code on Ruby 3.3, 128 MiB in all later.
        MOST_OF_CODE = JitReport.memory(JitReport.with_metadata(48 * MIB)).round
        MOST_OF_ALL = JitReport.memory(128 * MIB).round

        attr_reader :name, :lives, :present

        # @param lives [Array<ProcessLife>] all, those that have ended too
        def initialize(name, lives, present)
          @name = name
          @lives = lives
          @present = present
        end

        def on
          @on ||= present.select { |life| life.facts.on? }
        end

        def yjit = on.select { |life| life.facts.yjit? }

        def off
          @off ||= present.select { |life| life.facts.off? }
        end

        def all(key)
          on.filter_map { |life| life.facts.public_send(key) }.uniq
        end

        def median(lives = on)
          values = lives.filter_map { |life| yield life }.sort
          values[(values.size - 1) / 2] if values.any?
        end

        # Nanoseconds since 1970: when the first of them had it.
        def since_ns = all(:since_ns).min

        def warm = on.count(&:warm_s)

        # Processes in which nothing more is compiled.
        def saturated
          on.count { |life| life.facts.saturated || life.stuck? }
        end

        def ended = lives.select(&:ended?)

        def units_per_life = median(ended, &:units)

        def killer
          present.filter_map(&:killer).first
        end

        def growth
          @growth ||= MemoryKiller::MemoryGrowth.new(lives)
        end

        def watched
          @watched ||= MemoryKiller::KillerFootprint.new(killer, present, growth, room_bytes:)
        end

        # Room for each process: YJIT takes most of its memory at first. Until a process was seen to the end
        # of that, the limit has to leave room for all of it.
        def room_bytes
          return 0 if warm.positive? || !growth.known? || growth.basis != :unknown
          on.filter_map { |life| life.facts.room_bytes }.max.to_i
        end

        def needed_bytes = watched.needed_bytes

        def watched_bytes = watched.seen_bytes

        # What YJIT adds at most, at its default limit, to what the killer counts where it is off.
        def most_bytes
          limits_code = present.first.ruby&.limits_total? == false
          watched.more_bytes(limits_code ? MOST_OF_CODE : MOST_OF_ALL)
        end

        # @param ages_s [Array<Integer>] ends of the bands
        # @return [Hash{Integer => Float}] median of the interpreted instructions for each unit up to that age
        def warm_up(ages_s)
          by_age(ages_s, &:warm_up)
        end

        # The same of the entries compiled for each unit.
        def compiling(ages_s)
          by_age(ages_s, &:compiling)
        end

        private

        def by_age(ages_s, &)
          points = lives.select { |life| life.facts.on? }.flat_map(&)
          medians = [0, *ages_s].each_cons(2).filter_map do |from_s, to_s|
            values = points.select { |age_s, _| age_s > from_s && age_s <= to_s }.map(&:last).sort
            [to_s, values[(values.size - 1) / 2]] if values.any?
          end
          medians.to_h
        end
      end
    end
  end
end
