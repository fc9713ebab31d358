# frozen_string_literal: true

require_relative "collector_supervisor"

module Holdup
  class Runtime
    module Collectors
      # Set for an application whose collector another process supervises (`holdup exec`, Puma's master).
      SUPERVISED = "HOLDUP_SUPERVISED"
      PATIENCE_S = 2

      def self.build(configuration, env:, log:)
        return if configuration.collector == :off || env[SUPERVISED]
        return InThread.new(configuration, env, log) if configuration.collector == :thread
        ChildProcess.new(configuration, log)
      end

      # A separate process, restarted when it dies.
      class ChildProcess
        def initialize(configuration, log)
          @configuration = configuration
          @log = log
        end

        def start
          @supervisor = CollectorSupervisor.new(
            dir: @configuration.segment_dir,
            store: @configuration.store,
            settings: @configuration.of_collector,
            log: @log
          )
          @supervisor.start
        end

        # Does not wait: the collector notices its parent's end and then collects the last units.
        def stop = @supervisor&.detach

        # Ends the supervising thread; the collector runs until this process has ended.
        def let_go = @supervisor&.leave

        def before_fork = @supervisor&.wait_until_spawned

        # Waits for its last tick.
        def finish = @supervisor&.stop
      end

      # A thread of this process, for development; where the store's gems are missing, a process.
      class InThread
        def initialize(configuration, env, log)
          @configuration = configuration
          @env = env
          @log = log
        end

        def start
          @collector = collector
          @thread = Thread.new { @collector.run }
          @thread.name = "holdup-collector"
          @thread.thread_variable_set(:fork_safe, true)
        rescue LoadError
          @fallback = ChildProcess.new(@configuration, @log)
          @fallback.start
        end

        # Its thread collects the last units, so it goes on.
        def let_go = nil

        def before_fork = @fallback&.before_fork

        def stop
          @collector&.stop
          @thread&.join(PATIENCE_S)
          @fallback&.stop
        end

        def finish
          @fallback&.finish
          stop
        end

        private

        def collector
          require_relative "../../loader"
          home = @env["HOME"] || Dir.home
          url = @configuration.store || Store.default_url(@env, home:)
          dir = @configuration.segment_dir
          exports = @configuration.exports
          Collector.new(
            store: Exporters.around(Store.open(url), exports, dir:, log: @log, env: @env, in_app: true),
            directory: dir,
            log: @log,
            captures: Store.captures_dir(url, @env, home:),
            **Collector.options(@configuration, @env, log: @log)
          )
        end
      end
    end
  end
end
