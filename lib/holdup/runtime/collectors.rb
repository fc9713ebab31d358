# frozen_string_literal: true

module Holdup
  class Runtime
    # Which collector this process looks after. Loads the other half only when it is used.
    module Collectors
      # Set for an application whose collector somebody else looks after (`holdup exec`, Puma's master).
      SUPERVISED = "HOLDUP_SUPERVISED"

      # @return [#start, #stop, nil]
      def self.build(configuration, env:, log:)
        return if configuration.collector == :off || env[SUPERVISED]
        (configuration.collector == :thread) ? InThread.new(configuration, log) : Beside.new(configuration, log)
      end

      # A process beside this one, started again when it dies.
      class Beside
        def initialize(configuration, log)
          @configuration = configuration
          @log = log
        end

        # @return [void]
        def start
          require_relative "../collector/supervisor"
          @supervisor = Collector::Supervisor.new(dir: @configuration.segment_dir, store: @configuration.store, log: @log)
          @supervisor.start
        end

        # The collector sees its parent's end by itself and then carries the last units: nobody waits for it.
        # @return [void]
        def stop = @supervisor&.detach
      end

      # A thread of this process, for development; where the store's gems are missing, a process.
      class InThread
        def initialize(configuration, log)
          @configuration = configuration
          @log = log
        end

        def start
          require_relative "../collector"
          require_relative "../stores"
          @collector = Collector.new(store: Stores.open(@configuration.store), directory: @configuration.segment_dir, log: @log)
          @thread = Thread.new { @collector.run }
        rescue LoadError
          @beside = Beside.new(@configuration, @log)
          @beside.start
        end

        def stop
          @collector&.stop
          @thread&.join(1)
          @beside&.stop
        end
      end
    end
  end
end
