# frozen_string_literal: true

require "etc"

module Holdup
  # Carries what the processes of one host measured from their segments into the store, as its only writer
  # there. Any number may run: one leads, the others stand by and take over when it dies. Its failures and
  # those of the store never reach an application.
  class Collector
    STANDBY_S = 1
    # Between two checks for what ends a pause.
    STEP_S = 0.5
    # Between two attempts while the store is down: soon after its return everything is stored.
    LONGEST_WAIT_S = 20
    UPKEEP_S = 60
    PRUNE_S = 3600
    # Of one core: after a tick that costs more, the next one comes later.
    SHARE = 0.01
    # So much later, at most: what thousands of short processes leave must not fill the tmpfs meanwhile.
    LONGEST_REST_S = 15
    # How long a collector outlives its parent, to carry the last units of workers that are still ending.
    LINGER_S = 10
    LINGER_STEP_S = 0.2
    # After a signal, at most: Kubernetes, ECS and Heroku kill after 30 s, systemd after 90 s.
    GRACE_S = 25
    # By which a pod gets its own name. With the host's network its host name is that of the node.
    POD_NAMES = %w[POD_NAME K8S_POD_NAME].freeze
    # Characters; what stores keep.
    MOST_HOST = 255

    # @param given [String, nil] `config.host`
    # @return [String] name of this host in the store
    def self.host_name(given, env)
      pod = POD_NAMES.filter_map { |name| env[name] }.find { |text| !text.empty? }
      Utf8.valid(given || pod || Etc.uname[:nodename])[0, MOST_HOST]
    end

    # @param store [Object] of a collector
    # @param options [Hash{Symbol => Object}] of Export::Exporters.around
    # @return [Object] the store, which exports what is committed to it if that is asked for
    def self.exporting(store, exports, **options)
      exporting = Features.part(:exporting)
      exporting ? exporting.around(store, exports, **options) : store
    end

    # @param configuration [Configuration]
    # @param options [Hash{Symbol => Object}] of Notify::InAppCollectorPart
    # @return [Notify::InAppCollectorPart, nil] of a collector that is a thread of the application; nil:
    #   nobody is told
    def self.notices_in_app(configuration, **options)
      Features.part(:notices_in_app)&.new(configuration, **options) if configuration.notify_plan
    end

    # @param configuration [Configuration]
    # @return [Hash{Symbol => Object}] what it says, for `new`
    def self.options(configuration, env, log:, clock: Clock.new)
      if configuration.spool
        max_bytes = configuration.spool_mib << 20
        spool = Spool.new(configuration.spool, max_bytes:, log:, clock:)
      end
      {host: host_name(configuration.host, env), spool:}
    end

    # @param store [#commit, #checkpoints, #clock_s, #rollup, #prune, #close] closed at the end of `run` and
    #   of `once`
    # @param directory [String] folder of the segments; created when missing
    # @param interval [Numeric] seconds between ticks, which fall on multiples of it
    # @param parent [Integer, nil] pid of the process that it ends with
    # @param max_bytes [Integer, nil] size limit of the store; nil: what suits its database
    # @param captures [String, nil] folder for captures that processes made by themselves; nil: not collected
    # @param notifier [SystemdNotifier] closed at the end of run
    # @param host [String] its name in the store
    # @param autopilot [Autopilot::CollectorPart, nil] acts after each round of the leader; nil: none
    # @param keeper [Advise::CollectorPart, nil] called after each round of the leader; nil: none
    # @param notices [Notify::CollectorPart, Notify::InAppCollectorPart, nil] called after each round of the
    #   leader, also after one that failed; nil: none
    # @param warm [#call] called once, after the first tick
    # @param spool [Spool, nil] gets what can't be stored in the end, and is delivered; nil: none
    def initialize(store:, directory:, log:, clock: Clock.new, interval: 10, host: Etc.uname[:nodename],
      parent: nil, max_bytes: nil, captures: nil, notifier: SystemdNotifier.new(nil, clock:), spool: nil,
      autopilot: nil, keeper: nil, notices: nil, warm: -> {})
      @store = store
      @clock = clock
      @interval = interval
      @max_bytes = max_bytes
      @parent = parent && ParentProcess.new(parent)
      @log = log
      @directory = Segment::Directory.new(directory)
      @election = Election.new(@directory.lock_path)
      @warnings = RateLimitedLog.new(log:, clock:)
      lost = LostProcesses.new(store:)
      @round = Round.new(store:, directory: @directory, host:, warnings: @warnings, lost:)
      @host = host
      @spool = spool
      @autopilot = autopilot
      @keeper = keeper
      @notices = notices
      @steadiness = ClockSteadiness.new(clock)
      @archiver = archiver(captures) if captures
      @notifier = notifier
      @wake = Thread::Queue.new
      @failures = 0
      @troubles = {}
      # The first tick also loads code and opens the store, which says nothing of the next ones.
      @cold = warm
    end

    # Collects until stopped, then once more, and logs what that stored. On a main thread TERM and INT stop
    # it; on another thread signals belong to the application.
    def run(signals: Thread.current.equal?(Thread.main) ? %w[TERM INT] : [])
      trapping(signals) do
        pause(attempt) until over?
        finish
      end
    ensure
      leave
      @notifier.close
    end

    # One tick, for scripts and tests.
    # @return [Symbol] :collected, or :standby when another collector leads
    # @raise [StoreError, DamagedData, SystemCallError]
    def once
      return :standby unless lead?
      tick(last: true)
      nil while @spool&.deliver(@store)
      @archiver&.call
      :collected
    rescue StoreError
      kept = spooled
      @log.warn("segments stay in #{@directory.path}#{kept}") unless kept.empty?
      raise
    ensure
      leave
    end

    # Ends `run` after a last tick. Other threads and signal handlers may call it.
    def stop
      @stopping = true
      @wake << true
    end

    private

    def archiver(captures)
      Features.part(:captures)&.new(archive: Capture::Archive.new(captures), dir: @directory.path,
        warnings: @warnings, clock: @clock)
    end

    def over?
      @stopping || @parent&.gone?
    end

    def attempt
      @hurried_at = @directory.hurried_at
      return stand_by unless lead?
      started_ns = cpu_ns
      outcome = tick
      say_leading(outcome)
      recovered if @failures.positive?
      @troubles.delete(:store)
      look_after(:autopilot, "the autopilot") { @autopilot&.call }
      look_after(:keeper, "what keeps advice ready") { @keeper&.call }
      look_after(:notices, "what sends notices") { @notices&.call }
      cost_ns = @cold ? 0 : cpu_ns - started_ns
      warm_up
      @spool&.deliver(@store)
      @archiver&.call # megabytes, but seldom: no reason to put the next tick off
      note_troubles
      until_next(cost_ns.fdiv(NS))
    rescue => error # what was measured stays where it is, and the next attempt starts from the store
      failed(error)
    end

    # The doctor reads the store, and would not see that it can't be written.
    def note_troubles
      {spool: @spool, capture: @archiver}.each do |subject, part|
        problem = part&.problem
        problem ? @troubles[subject] = problem : @troubles.delete(subject)
      end
      @election.note(@troubles)
    end

    def warm_up
      @cold&.call
      @cold = nil
    end

    # @return [Numeric] seconds until the next attempt
    def stand_by
      @notifier.ready("standing by; another collector leads")
      [STANDBY_S, @interval].min
    end

    def lead?
      @directory.create
      led = @leading
      held = @election.held?
      @leading = @election.won?
      tell_lost_lock if led && !held
      if @leading && !held
        @round.lead
        @autopilot&.forget
      end
      @leading
    end

    # A lock on a removed file is none: another collector may lead by now. What this one has read and not yet
    # committed is read again, so nothing counts twice.
    def tell_lost_lock
      who = @leading ? "this collector leads on" : "another collector leads now"
      @log.warn("#{@directory.lock_path} was removed or replaced while this collector led: #{who}; " \
        "processes that live put their segments back into the folder, and nothing is lost")
    end

    # A failure here leaves nothing behind: what the autopilot sets ends with its lease.
    def look_after(subject, name)
      yield
      @warnings.forget(subject)
    rescue => error
      said = error.is_a?(Error) ? error.message : "#{error.class}: #{error.message}"
      @warnings.again(subject, "#{name} failed (#{said})", same: same(error, said))
    end

    # The time instead of an age, which would be wrong when somebody reads it.
    def say_leading(outcome)
      at = Time.at(@clock.realtime_ns / NS).utc.strftime("%F %T UTC")
      @notifier.ready("leading; live processes: #{outcome.live.size}; everything stored at #{at}")
    end

    def tick(last: false)
      outcome = @round.run(@clock.realtime_ns, steady: @steadiness.call, last:)
      @notifier.alive
      upkeep if (@clock.realtime_s - @upkeep_s.to_i).abs >= UPKEEP_S # also after the clock was set back
      outcome
    end

    # A host whose clock is ahead must not delete what others have just stored. In a fleet, the collector that
    # rolled up prunes, the others once an hour: looking for what is old reads much of a store.
    def upkeep
      now_s = [@clock.realtime_s, *@store.clock_s].min
      rolled = @store.rollup(now_s)
      @notifier.alive
      if rolled.positive? || (now_s - @pruned_s.to_i).abs >= PRUNE_S
        @store.prune(now_s, max_bytes: @max_bytes)
        @pruned_s = now_s
      end
      @upkeep_s = @clock.realtime_s
    end

    def failed(error)
      @round.forget
      @failures += 1
      @troubles[:store] = reason(error)
      @election.note(@troubles)
      look_after(:notices, "what sends notices") { @notices&.call } if @leading
      message = "#{reason(error)}; segments are kept and carried later"
      @warnings.again(:failure, message, same: same(error, message))
      # A collector counts as ready while its store is down, so systemd does not restart it for that.
      @leading ? @notifier.ready("leading; #{message}") : @notifier.status(message)
      [@interval * 2**[@failures - 1, 10].min, LONGEST_WAIT_S].min
    end

    # The words of a server may have figures that change each time.
    def same(error, message) = error.is_a?(StoreError) ? error.kind : message

    def reason(error)
      error.is_a?(Error) ? error.message : "the collector failed (#{error.class}: #{error.message})"
    end

    def recovered
      @failures = 0
      @log.warn("collecting again") if @warnings.forget(:failure)
    end

    def until_next(cost_s)
      rest_s = (cost_s / SHARE - @interval).clamp(0, LONGEST_REST_S)
      earliest_s = @clock.realtime_ns.fdiv(NS) + rest_s
      rest_s + @interval - earliest_s % @interval
    end

    def cpu_ns
      Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    end

    # Sleeps in steps, to notice the parent's end and requests for a round.
    def pause(seconds)
      deadline = @clock.monotonic_ns + seconds * NS
      until over? || hurried?
        left_ns = deadline - @clock.monotonic_ns
        break unless left_ns.positive?
        @notifier.alive
        @wake.pop(timeout: [left_ns.fdiv(NS), STEP_S, @notifier.patience_s].min)
      end
    end

    # Ignores requests from before the last attempt.
    def hurried?
      at = @directory.hurried_at
      !at.nil? && at != @hurried_at
    end

    # One round after a signal. After the parent's end as many as its workers need to finish their last units.
    def finish
      @notifier.stopping("storing what the segments still have")
      led = @leading
      @last_units = 0
      deadline = @clock.monotonic_ns + LINGER_S * NS
      until last_round? || @stopping || @clock.monotonic_ns > deadline
        @wake.pop(timeout: LINGER_STEP_S)
      end
      @grace&.kill
      log_end(led)
    end

    # @return [Boolean] whether no other round is needed
    def last_round?
      @last_error = nil
      return true unless lead?
      outcome = @round.run(@clock.realtime_ns, steady: @steadiness.call, last: true)
      @last_units += outcome.units
      @archiver&.call
      outcome.live.none? { |header| @parent&.family?(header) }
    rescue => error
      @round.forget
      @last_error = error
      false
    end

    # A thread of the application ends silently when all is well.
    # @param led [Boolean] whether it led before the last rounds
    def log_end(led)
      left = segment_count if @last_error
      if left&.positive?
        log_left(reason(@last_error), left)
      elsif @last_units.positive? && (@grace || @parent)
        @log.warn("the collector ends; requests and jobs stored in its last round: #{@last_units}")
      elsif led && @grace && !@parent
        @log.warn("the collector ends; everything was stored before")
      end
    end

    def log_left(reason, count)
      @log.warn("the collector ends; its last round failed: #{reason.gsub(/\s+/, " ")}; " \
        "segments left in #{@directory.path} for the next collector: #{count}#{spooled}")
    end

    # @return [String] end of a sentence
    def spooled
      kept = @round.identity && @spool&.keep(@directory, identity: @round.identity, host: @host,
        now_ns: @clock.realtime_ns) or return ""
      "; copied into the spool: #{kept.segments} (#{(kept.bytes / 1000.0).ceil} kB, #{kept.path})"
    rescue => error
      "; they can't be copied into the spool: #{error.message}"
    end

    def segment_count
      Dir.children(@directory.path).grep(Segment::Directory::NAME).size
    rescue SystemCallError
      0
    end

    def leave
      @autopilot&.close
      @keeper&.close
      @notices&.close
      @election.release
      @store.close
    end

    # The second signal ends a collector at once, whatever it hangs in. Not beside a parent: a supervisor
    # sends another TERM after the one that its whole group got, and KILL when that takes too long.
    def stop_by(signal)
      trap(signal, "SYSTEM_DEFAULT") unless @parent
      @grace ||= Thread.new { end_after_grace }
      stop
    end

    # A store that hangs can keep the main thread for minutes.
    def end_after_grace
      sleep(GRACE_S)
      log_left("the store did not answer within #{GRACE_S} s", segment_count) if @leading
      Process.exit!(1)
    end

    def trapping(signals)
      previous = signals.to_h { |signal| [signal, trap(signal) { stop_by(signal) }] }
      yield
    ensure
      previous&.each { |signal, handler| trap(signal, handler || "DEFAULT") }
    end
  end

  # The process that a collector was started for. It is gone when it died, and when it runs another program:
  # a server that restarts itself keeps its pid but closes the pipe that we got as standard input. Its forks
  # hold that pipe too, so it is not gone while one of its workers lives.
  class Collector::ParentProcess
    attr_reader :pid

    # @param input [IO, nil] watched only when it is a pipe
    def initialize(pid, input: $stdin, owner: Segment::OwnerProcess.new)
      @pid = pid
      @owner = owner
      @start = owner.start_of(pid)
      @pipe = input if input&.stat&.pipe?
    end

    def gone?
      !@owner.alive?(@pid, @start.to_i) || closed?
    end

    # Whether that process is the parent or one of its workers.
    def family?(header)
      [header.pid, header.parent].include?(@pid)
    end

    private

    def closed?
      return false unless @pipe
      @pipe.read_nonblock(1, exception: false).nil?
    rescue SystemCallError, IOError
      true
    end
  end

  # Whether the clock was not set lately. After a step the last heartbeat of a process seems old, or to come
  # from the future, until its next tick.
  class Collector::ClockSteadiness
    STEP_NS = 2 * NS

    def initialize(clock)
      @clock = clock
    end

    def call
      now_ns = @clock.monotonic_ns
      offset_ns = @clock.realtime_ns - now_ns
      @stepped_ns = now_ns if @offset_ns && (offset_ns - @offset_ns).abs > STEP_NS
      @offset_ns = offset_ns
      @stepped_ns.nil? || now_ns - @stepped_ns > Segment::Directory::SILENT_NS
    end
  end
end
