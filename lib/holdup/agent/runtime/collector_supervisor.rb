# frozen_string_literal: true

require "rbconfig"
require_relative "../background_process"
require_relative "../child_launch"
require_relative "../main_gem"

module Holdup
  class Runtime
    # Keeps a collector running next to a server, in a BackgroundProcess started with the same Ruby and
    # restarted when it dies. In-app half: it loads nothing of the collector.
    #
    # The child's standard input is a pipe whose other end only this process and its forks hold. When it
    # closes, the child collects the last units and ends, so that nothing has to wait for it.
    class CollectorSupervisor
      FIRST_WAIT_S = 1
      # A collector that can't start is seldom repaired within minutes, and each try logs why.
      LONGEST_WAIT_S = 600
      # An end after this long is not a failed start.
      HEALTHY_S = 60
      STOP_S = 5
      FORK_PATIENCE_S = 0.1
      # Exit status of a collector for which a library is missing; it has logged which one.
      CANNOT_LOAD = 3
      # Tells a collector that the one before it lacked a library, which need not be logged again.
      AGAIN = "--again"
      # The collector starts its JIT itself, after its first round (Collector::Command): code that only the
      # start runs would take 4 MB. It makes much short-lived garbage: an early GC keeps that in the
      # processor's cache and out of the RSS, where a heap that grows in small steps and a malloc (of glibc)
      # that returns large pieces at once save some MB more. The free slots are a compromise: with half as
      # many, twice as many collections take a tenth more CPU; with a third more, 4 MB more are resident.
      ENVIRONMENT = {
        "RUBY_YJIT_ENABLE" => "0",
        "RUBY_GC_MALLOC_LIMIT" => "2000000",
        "RUBY_GC_MALLOC_LIMIT_MAX" => "4000000",
        "RUBY_GC_HEAP_GROWTH_FACTOR" => "1.05",
        "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO" => "0.11",
        "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO" => "0.4",
        "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO" => "0.22",
        "MALLOC_ARENA_MAX" => "1",
        "MALLOC_MMAP_THRESHOLD_" => "16384",
        "MALLOC_TRIM_THRESHOLD_" => "65536"
      }.freeze
      # Of its JIT: a tick calls what counts much more often than a thousand times, and machine code of the
      # rest takes 3 MB and saves no time. A Ruby without YJIT does not know the options.
      OPTIONS = (defined?(RubyVM::YJIT.enable) ? %w[--yjit-disable --yjit-call-threshold=1000] : []).freeze
      # What `holdup exec` loads first into every Ruby. A collector is not measured.
      BOOT = File.expand_path("../exec_boot", __dir__)

      # Pid of the collector.
      attr_reader :pid

      # Whether the last collector could not load a library; it has logged which.
      def unloadable? = !!@unloadable

      # @param store [String, nil] URL; nil for the default
      # @param settings [Hash{String => String}] what the code set, by variables; further ones come from the
      #   environment
      # @param command [Array<String>] what starts the command line of Holdup
      # @param first_wait_s [Numeric] before the first restart; doubles with each
      def initialize(
        dir:, store:, log:,
        settings: {},
        command: [RbConfig.ruby, *OPTIONS, MainGem.executable],
        env: ENV,
        first_wait_s: FIRST_WAIT_S,
        longest_wait_s: LONGEST_WAIT_S
      )
        @warn = log.respond_to?(:call) ? log : log.method(:warn)
        # Not as an argument: all users of the machine see those, and a URL may have a password.
        environment = {**ENVIRONMENT, "HOLDUP_STORE" => store}.compact.merge(settings)
        @launch = ChildLaunch.new([*command, "collect", "--dir", dir, "--parent", Process.pid.to_s],
          environment:, env:)
        @env = env
        @first_wait_s = first_wait_s
        @longest_wait_s = longest_wait_s
        @owner = Process.pid
        @wake = Thread::Queue.new
      end

      def start
        return self if @thread&.alive?
        @stopping = false
        @spawning = true
        @thread = Thread.new { keep_running }
        @thread.name = "holdup-supervisor"
        @thread.report_on_exception = false
        self
      end

      # Waits for the collector's last tick.
      def stop
        return unless let_go
        kill("TERM")
        kill("KILL") unless @thread.join(STOP_S)
        @thread.join
      end

      # Does not wait: the collector ends once this process and its forks have ended or detached.
      def detach
        @pipe&.close if let_go
      end

      # Ends the thread at once; the current collector notices our end. Safe in a signal handler.
      def leave
        @left = let_go
        @thread.kill if @left
      end

      # For a fork, as Ticker#wait_until_asleep.
      def wait_until_spawned(patience_s: FORK_PATIENCE_S)
        deadline = now + patience_s
        sleep(0.001) while @spawning && now < deadline
      end

      private

      # @return [Boolean] false in a forked child, which has no thread to stop
      def let_go
        return false unless @owner == Process.pid && @thread
        @stopping = true
        @wake << true
        true
      end

      def keep_running
        wait_s = @first_wait_s
        until @stopping
          started = now
          launch = next_launch
          status = run_once(launch) if launch
          break if @stopping
          healthy = now - started > HEALTHY_S
          wait_s = @first_wait_s if healthy
          untried = @failed && !healthy && @launch.failed
          wait_s = @longest_wait_s if @unloadable && !untried
          warn_of_restart(status, wait_s) if launch && !@unloadable
          @wake.pop(timeout: wait_s)
          wait_s = [wait_s * 2, @longest_wait_s].min
        end
      end

      def warn_of_restart(status, wait_s)
        @warn.call("the collector ended (#{status}); started again in #{wait_s} s, nothing is lost")
      end

      # A release that comes later is found then, so it is looked for again.
      # @return [ChildLaunch::Launch, nil] nil: nothing is left to start
      def next_launch
        launch = @launch.call(*(AGAIN if @unloadable))
        folder = launch.options[:chdir]
        say_once("the folder of this server's release is gone: its collector starts in #{folder}") if folder
        launch
      rescue ChildLaunch::Gone => error
        say_once("no collector can be started: #{error.message}. Measuring goes on")
        nil
      end

      def say_once(message)
        @warn.call(message) unless message == @said
        @said = message
      end

      # @return [BackgroundProcess::Ended, String] how it ended, or why it did not start
      def run_once(launch)
        @failed = false
        process = spawn(launch)
        @pid = process.pid
        @spawning = false
        ended = process.wait
        @unloadable = ended.exit_status == CANNOT_LOAD
        @failed = ended.failed?
        ended
      rescue SystemCallError => error
        error.message
      ensure
        @spawning = false
        @pid = nil
        @pipe&.close unless @left # the child would end when it closes
      end

      def spawn(launch)
        @spawning = true
        input, @pipe = IO.pipe
        BackgroundProcess.start(launch, input:, env: @env)
      ensure
        input&.close
      end

      def kill(signal)
        pid = @pid
        Process.kill(signal, pid) if pid
      rescue Errno::ESRCH
        nil
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end

    module Collectors
      # Set for an application whose collector another process supervises (`holdup exec`, Puma's master).
      SUPERVISED = "HOLDUP_SUPERVISED"
      PATIENCE_S = 2

      def self.build(configuration, env:, log:)
        return if configuration.collector == :off || env[SUPERVISED]
        return InThread.new(configuration, env, log) if configuration.collector == :thread
        ChildProcess.new(configuration, env, log)
      end

      # A separate process, restarted when it dies.
      class ChildProcess
        def initialize(configuration, env, log)
          @configuration = configuration
          @env = env
          @log = log
        end

        # The gem `holdup-agent` alone has no collector to start.
        def start
          unless MainGem.executable
            return @log.warn(MainGem.no_collector(dir: @configuration.segment_dir, env: @env))
          end
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
          @fallback = ChildProcess.new(@configuration, @env, @log)
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
          MainGem.require_loader
          url = @configuration.store || Store.default_url(@env)
          dir = @configuration.segment_dir
          exports = @configuration.exports
          store = Store.open(url)
          Collector.new(
            store: Collector.exporting(store, exports, dir:, log: @log, env: @env, in_app: true),
            notices: Collector.notices_in_app(@configuration, store:, dir:, log: @log, env: @env),
            directory: dir,
            log: @log,
            captures: Store.captures_dir(url, @env),
            **Collector.options(@configuration, @env, log: @log)
          )
        end
      end
    end
  end
end
