# frozen_string_literal: true

module Holdup
  class Runtime
    # Which collector this process looks after. Loads the other half only when it is used.
    module Collectors
      # Set for an application whose collector somebody else looks after (`holdup exec`, Puma's master).
      SUPERVISED = "HOLDUP_SUPERVISED"
      PATIENCE_S = 2

      # @return [#start, #stop, #finish, nil]
      def self.build(configuration, env:, log:)
        return if configuration.collector == :off || env[SUPERVISED]
        (configuration.collector == :thread) ? InThread.new(configuration, env,
          log) : Beside.new(configuration, log)
      end

      # A process beside this one, started again when it dies.
      class Beside
        def initialize(configuration, log)
          @configuration = configuration
          @log = log
        end

        # @return [void]
        def start
          require_relative "collector_supervisor"
          @supervisor = CollectorSupervisor.new(dir: @configuration.segment_dir, store: @configuration.store,
            log: @log)
          @supervisor.start
        end

        # The collector sees its parent's end by itself and then carries the last units: nobody waits for it.
        # @return [void]
        def stop = @supervisor&.detach

        # No thread looks after it any more; it carries on until this process has ended.
        # @return [void]
        def let_go = @supervisor&.leave

        # Ends it after its last tick, and waits for that.
        # @return [void]
        def finish = @supervisor&.stop
      end

      # A thread of this process, for development; where the store's gems are missing, a process.
      class InThread
        def initialize(configuration, env, log)
          @configuration = configuration
          @env = env
          @log = log
        end

        # @return [void]
        def start
          @collector = collector
          @thread = Thread.new { @collector.run }
          @thread.name = "holdup-collector"
          @thread.thread_variable_set(:fork_safe, true)
        rescue LoadError
          @beside = Beside.new(@configuration, @log)
          @beside.start
        end

        # Its thread is what carries the last units: it stays.
        # @return [void]
        def let_go = nil

        # @return [void]
        def stop
          @collector&.stop
          @thread&.join(PATIENCE_S)
          @beside&.stop
        end

        # @return [void]
        def finish
          @beside&.finish
          stop
        end

        private

        def collector
          require_relative "../../loader"
          home = @env["HOME"] || Dir.home
          url = @configuration.store || Store.default_url(@env, home:)
          Collector.new(store: Store.open(url), directory: @configuration.segment_dir, log: @log,
            captures: Store.captures_dir(url, @env, home:))
        end
      end
    end
  end
end
