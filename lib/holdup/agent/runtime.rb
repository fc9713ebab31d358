# frozen_string_literal: true

require "monitor"
require_relative "../model/clock"
require_relative "configuration"
require_relative "../model/errors"
require_relative "finished_figures"
require_relative "fork_hook"
require_relative "guard"
require_relative "jit"
require_relative "live_arm"
require_relative "probe"
require_relative "recorder"
require_relative "runtime/collector_supervisor"
require_relative "runtime/measuring_session"
require_relative "servers/identity"

module Holdup
  # Wires the in-app half together and restarts it in forks.
  #
  # Under a server with an adapter, measuring starts when the server is ready (`wait_for_server`, `serve`) and
  # the worker is known. A fork of a measuring process measures from its start.
  class Runtime
    # A worker forked so long after the first replaces another.
    BOOT_NS = 10_000_000_000

    attr_reader :guard, :log, :recorder

    # @param settings [#call] gives the Configuration or raises a ConfigurationError; called when measuring
    #   starts, after the application's own code
    # @param collectors [#build] gives the collector that this process supervises, see Collectors
    # @param worker [#call] gives the index of the worker that this process is before its server is ready, or
    #   nil
    # @param other_copy [#call] gives the reason why nothing can be measured beside another copy of Holdup, or
    #   nil when there is none
    def initialize(settings:, log:, env:, probe: Probe, clock: Clock.new, collectors: Collectors,
      worker: -> {}, other_copy: -> {})
      @settings = settings
      @log = log
      @clock = clock
      @env = env
      @probe = probe
      @collectors = collectors
      @worker = worker
      @other_copy = other_copy
      @guard = Guard.new(log:, clock:, interruption: ->(error) { probe.interruption?(error) },
        on_failure: -> { probe.count(Probe::COUNTERS.fetch(:guard_failures)) })
      @recorder = Recorder.new(probe:, guard: @guard)
      @jit = Jit::Manager.new(wish: -> { configuration.jit }, guard: @guard, log:, clock:)
      @resources = Resources.new(@guard)
      add(@jit)
      add(live_arm)
      @identities = {}
      @inherited = Servers::Identity.merge([])
      @lock = Monitor.new # a server and a job runner of one process may be ready at the same time
      @generation = 0
      @tickers = []
    end

    # Read once, until `reconfigure`.
    def configuration = @configuration ||= read_settings

    # Settings have changed. Call it only while nothing runs.
    def reconfigure
      @configuration = nil unless @given_up
      @announced = false
    end

    def running? = !!@session

    # Whether another copy of Holdup is in the load path of this process: after a fork, its bundle may name
    # one. Then nothing is measured.
    def other_copy?
      reason = @guard.call(:copy) { @other_copy.call } unless @given_up
      give_up(reason) if reason
      !!@given_up
    end

    # Ends measuring in this process and its forks for good.
    # @param reason [String] is logged once, by the first worker
    # @return [void]
    def give_up(reason)
      return if @given_up
      @given_up = true
      stop
      @configuration = off
      @log.warn("not measuring: #{reason}") unless later_worker?
    end

    # @return [Boolean] whether this call started it
    def start
      !other_copy? && start_alone
    end

    # Closes the segment cleanly, so that the collector can finish it.
    def stop
      session = @session
      @session = nil
      @guard.call(:stop) { session.close } if session
      @tickers.each(&:let_go)
      stop_collector
    end

    # A server is about to start: nothing is measured before it calls `serve`. A forking server's master never
    # does, so only its children measure. May be called again (a master that reloads its configuration).
    # @param name [String, nil] of that server. The line at boot waits for it: a job runner of the same
    #   process may be ready, and measured, before. A fork of another server's process writes one again.
    def wait_for_server(name = nil)
      expect(name) if name
      return if @waiting
      stop
      follow_forks
      @waiting = true
    end

    # Runs a block that forks helpers of the server (Pitchfork's next mold): they wait for `serve`, this
    # process goes on measuring. Our threads end during the fork: CRuby 3.4 can lose a child when a thread is
    # just waking up.
    # @return [Object] the block's value
    def wait_in_forks
      @forks_wait = true
      @guard.call(:fork) { @session&.pause }
      yield
    ensure
      @forks_wait = false
      @guard.call(:fork) { @session&.resume }
    end

    # Forks of this process run one job each from now on: as children of their server, with small segments.
    def expect_brief_forks
      @brief_forks = true
    end

    # Adds a resource of the application, such as a connection pool, to this process and its forks.
    # @param resource [#install, #facts, #pools, #gauges, #profile] see Resources
    def add(resource) = @resources.add(resource)

    # A server or job runner of this process is ready; several may share a process and its segment.
    # @return [Boolean] whether its requests and jobs are measured
    def serve(identity)
      @lock.synchronize do
        next if other_copy?
        @waiting = false
        @expected = nil if identity.name == @expected
        @identities = @identities.merge(identity.name => identity)
        running? ? @guard.call(:serve) { identify } : start
      end
      running?
    end

    # Forks and the end of a server care for a further thread of ours, as for our own ones.
    # @param ticker [Ticker]
    # @return [Ticker]
    def follow(ticker)
      @tickers = @tickers.select(&:alive?) << ticker
      ticker
    end

    # Follows the plans of the autopilot in a process that measures nothing, for a lever that only this
    # process has. Its forks write the audit log. The settings are read for this alone: forks that load the
    # application read them anew.
    # @yieldparam settings [Configuration]
    # @yieldreturn [#install, #share, nil] a Servers::LiveLever; nil: nothing is followed
    # @return [Ticker, nil]
    def follow_plans
      settings = read_settings
      lever = (yield settings if settings.enabled) or return
      arm = live_arm(folder: -> { settings.segment_dir }, goal: -> { settings.autopilot_goal },
        levers: -> { [lever] }, limits: -> { {} }, only: lever.name, watch: nil, audit: LiveArm::NoAudit)
      ticker = Ticker.new(seconds: settings.tick_seconds, guard: @guard)
      follow(ticker.start { [lever.install, arm.install, lever.share] })
    end

    # Name of the pool that runs jobs of this queue on this thread; see Servers::Identity.
    def pool_of(queue)
      @identities.each_value do |identity|
        pool = identity.pool_of.call(queue)
        return pool if pool
      end
      nil
    end

    # A server or job runner takes no more units; if it was the only one, measuring ends until `serve`.
    def leave(name)
      @lock.synchronize do
        next unless @identities.key?(name)
        @identities = @identities.except(name)
        @identities.empty? ? wait_for_server : @guard.call(:serve) { @session&.identify(server) }
      end
    end

    # A server is stopping: our threads end now. CRuby 3.4's IO#close can miss its wake-up in Puma's shutdown,
    # and Ruby only detects that deadlock when no other thread lives. Safe in a signal handler.
    def let_go
      @session&.let_go
      @tickers.each(&:let_go)
      @collector&.let_go
    end

    # Supervises a collector, unless another process does.
    def start_collector
      return if @collector || !configuration.enabled || !@probe.supported?
      @collector = @collectors.build(configuration, env: @env, log: @log)
      @guard.call(:collector) { @collector&.start }
    end

    def stop_collector
      collector = @collector
      @collector = nil
      @guard.call(:collector) { collector.stop } if collector
    end

    # Waits for the collector's end, because the process is about to execute another program (a hot restart)
    # that knows nothing of the collector.
    def end_collector
      collector = @collector
      @collector = nil
      @guard.call(:collector) { collector.finish } if collector
    end

    private

    def start_alone
      return false if running? || @opening || @waiting || !enabled?
      follow_forks
      !!@guard.call(:start) { begin_measuring }
    end

    def live_arm(**others)
      LiveArm.new(
        folder: -> { configuration.segment_dir },
        levers: -> { server.live.call },
        limits: -> { {"threads" => configuration.live_threads} },
        goal: -> { configuration.autopilot_goal },
        fixed: -> { server.fixed },
        watch: -> { response_watch },
        log: @log,
        clock: @clock,
        env: @env,
        **others
      )
    end

    # Loaded only when the autopilot has set something.
    def response_watch
      require_relative "response_watch"
      ResponseWatch.new(segment: StatsLog::OwnSegment.new(@probe), clock: @clock)
    end

    # A wrong variable must not stop the boot: it is logged, and nothing is measured.
    def read_settings
      @settings.call
    rescue ConfigurationError => error
      announce(:warn, "not measuring: #{error.message}")
      off
    end

    def off = Configuration.build { |draft| draft.enabled = false }

    def enabled?
      return true if configuration.enabled
      reason = "HOLDUP_ENABLED or config.enabled is false; HOLDUP_ENABLED=true measures"
      announce(:info, "not measuring: #{reason}")
      false
    end

    # Only the first process logs at boot; its forks, other workers and later workers are silent.
    def announce(level, line)
      return if @announced
      @announced = true
      return if @late || later_worker?
      @log.public_send(level, line)
      Configuration.complaints(@env).each { |complaint| @log.warn(complaint) }
    end

    def later_worker?
      (server.worker || @worker.call).to_i.positive? || server.generation.to_i.positive?
    end

    def expect(name)
      @expected = name
      @announced = false
    end

    def identify
      @session.identify(server)
      announce_measuring
    end

    def announce_measuring
      return if @expected
      identity = server
      worker = "worker #{identity.worker}, " if identity.worker
      what = identity.name.empty? ? "this process" : identity.name
      place = "(#{worker}pid #{Process.pid}) into #{configuration.segment_dir}"
      announce(:info, "measuring #{what} #{place}; `holdup report` shows it, " \
        "HOLDUP_ENABLED=false switches it off")
    end

    # A child inherits its parent's identity until its own server is ready.
    def server
      @identities.empty? ? @inherited : Servers::Identity.merge(@identities.values)
    end

    def begin_measuring
      return refuse unless @probe.supported?
      session = MeasuringSession.new(
        configuration:,
        probe: @probe,
        guard: @guard,
        log: @log,
        env: @env,
        resources: @resources
      )
      receiver = FinishedFigures.receiver(configuration, @guard)
      @recorder.call_on_finish(receiver, configuration.on_finish_sample)
      brief = @brief_forks && @generation.positive?
      @session = opened(session, brief)
      finish_at_exit
      announce_measuring
      start_collector if @generation.zero?
      true
    end

    # A worker that is born during an experiment changes its server, which says so, while the session opens.
    def opened(session, brief)
      @opening = true
      before = @identities
      session.open(server:, generation: @generation, brief:)
      session.identify(server) unless @identities.equal?(before)
      session
    ensure
      @opening = false
    end

    def refuse
      @log.warn(@probe.unsupported_reason) unless @refused
      @refused = true
      false
    end

    # A Ruby that measures nothing may have no `Process._fork`.
    def follow_forks
      return unless @probe.supported?
      before = -> { @guard.call(:fork) { before_fork } }
      @fork_hook ||= ForkHook.install(before:, guard: @guard) { @guard.call(:fork) { after_fork } }
    end

    def before_fork
      @first_fork_ns ||= @clock.monotonic_ns
      @session&.before_fork
      @tickers.each(&:wait_until_asleep)
      @collector&.before_fork
    end

    # The child keeps nothing of its parent's segment, threads, collector and server.
    def after_fork
      @probe.after_fork
      @late = @clock.monotonic_ns - @first_fork_ns > BOOT_NS
      @guard.call(:jit) { @jit.after_fork }
      was_running = running?
      @session = @collector = nil
      @tickers = []
      @inherited = server.forked
      @identities = @brief_forks ? @identities.transform_values(&:forked) : {}
      @generation += 1
      @waiting ||= @forks_wait
      start_alone if was_running # in the load path that its parent had
    end

    # Registered once, because a child inherits the handler.
    def finish_at_exit
      at_exit { stop } unless @at_exit
      @at_exit = true
    end
  end
end
