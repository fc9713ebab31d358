# frozen_string_literal: true

module Holdup
  class Collector
    # Moves the segments of this host to the store until a signal stops it or its parent exits.
    class Command
      INTERVAL_S = (0.1..3600)
      DEFAULT_INTERVAL_S = 10

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup collect [options]", [
        CLI::Options::STORE,
        CLI::Options::DIR,
        Queries::Option.seconds("--interval S", INTERVAL_S,
          "seconds between two rounds (#{DEFAULT_INTERVAL_S})"),
        Queries::Option.whole("--parent PID", 1..2**31, "end when this process has ended"),
        Queries::Option.switch("--once", "one round, then end"),
        Queries::Option.switch("--again", "a repeated start: do not say again what is missing")
      ])

      # @param interval [Numeric] seconds
      # @param parent [Integer, nil] pid
      # @param quietly [Boolean] whether it stays silent when another process collects
      # @param again [Boolean] whether an earlier start already reported the missing library
      def initialize(console:, store: nil, dir: nil, interval: DEFAULT_INTERVAL_S, parent: nil, once: false,
        quietly: false, again: false)
        @console = console
        @named = store
        @dir = CLI::Places.directory(console.env, dir)
        @interval = interval
        @parent = parent
        @once = once
        @quietly = quietly
        @again = again
        @configuration = Configuration.build(env: Configuration.readable(console.env))
        @exports = @configuration.exports
        @goal = @configuration.scaling_goal
      end

      # @return [Integer] exit status; CANNOT_LOAD when a library, or beside a parent a store, is missing
      # @raise [Holdup::Error] with --once; otherwise the collector logs the error and continues
      def run
        File.umask(File.umask & 0o077) # inherited; what its owner can't read or write is of no use
        @store = CLI::Places.store(@console.env, @named)
        @captures = CLI::Places.captures(@console.env, @named)
        @once ? once : keep_on
        CLI::OK
      rescue LoadError => error
        give_up(missing(error))
      rescue StoreError::NoHome => error
        raise unless @parent
        give_up(error.message)
      rescue SystemCallError => error
        raise Error.new("the segments in #{@dir} can't be read (#{error.message})",
          "run it as the application's user, or name its folder with --dir")
      end

      private

      # A repeated start changes nothing, so a supervisor waits for long.
      def give_up(reason)
        say(reason) unless @again
        Runtime::CollectorSupervisor::CANNOT_LOAD
      end

      def once
        standby = collector(Store.open(@store)).once == :standby
        say("another collector carries these segments already") if standby && !@quietly
      end

      def keep_on
        greet unless @parent
        store = Collector.exporting(Store.open(@store), @exports, dir: @dir, log:, clock: @console.clock,
          env: @console.env, scaling:)
        collector(store, autopilot:, keeper:, notices:, warm: method(:compile)).run
      end

      # From the second round on: what only a start runs is not worth the memory of its machine code. Who
      # starts a collector as a service chooses with Ruby's own options.
      def compile
        Jit::Activation.new(jit: Jit.yjit, other: Jit.zjit).call if @parent
      end

      # It follows what the processes of the folder ask for, see config.autopilot.
      def autopilot
        Features.part(:autopilot)&.of(store: @store, dir: @dir, host:, log:, clock: @console.clock,
          env: @console.env, interval: @interval)
      end

      def keeper
        return unless @configuration.keep_advice
        Features.part(:advice)&.new(store: @store, host:, log:, clock: @console.clock)
      end

      def notices
        return unless @configuration.notify_plan
        Features.part(:notices)&.new(store: @store, dir: @dir, host:, log:, clock: @console.clock)
      end

      # Who is asked for it, on a port or in the dashboard, is the exporters' subject.
      def scaling
        return unless @goal
        Features.part(:scaling)&.of(@goal, store: @store, dir: @dir, log:, clock: @console.clock)
      end

      def host = Collector.host_name(@configuration.host, @console.env)

      def greet
        say("carrying #{@dir} to #{Store.redact(@store)} every #{@interval} s; Ctrl-C ends it")
        Configuration.complaints(@console.env).each { |complaint| say(complaint) }
      end

      def collector(store, **options)
        Collector.new(store:, directory: @dir, clock: @console.clock, interval: @interval, parent: @parent,
          **options, captures: @captures, log:, **notifier,
          **Collector.options(@configuration, @console.env, log:, clock: @console.clock))
      end

      # Beside a parent it is not the service: the parent is.
      def notifier
        taken = Collector::SystemdNotifier.take_from(@console.env, clock: @console.clock)
        (@parent || @once) ? {} : {notifier: taken}
      end

      # Measuring continues: the collector needs libraries that the measured processes do not.
      def missing(error)
        MainGem.missing_library(error, dir: @dir, env: @console.env)
      end

      def say(message) = log.warn(message)

      # Beside a parent its messages belong where the parent's are.
      def log
        @log ||= Log.new { @parent ? log_of_parent : @console.err }
      end

      def log_of_parent
        draft = Configuration.draft.tap { |values| values.log = @console.err }
        Configuration.log_target(env: @console.env, draft:)
      end
    end
  end
end
