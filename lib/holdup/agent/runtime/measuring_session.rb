# frozen_string_literal: true

require_relative "../../capture/controller"
require_relative "../../capture/rule"
require_relative "../../model/clock"
require_relative "../application_code"
require_relative "../configuration"
require_relative "../../model/flat_json"
require_relative "../../model/waiting_queue"
require_relative "../probe/process_stats"
require_relative "../retained_objects"
require_relative "../../segment/layout"
require_relative "../setting_facts"
require_relative "../working_folder"
require_relative "resources"
require_relative "segment_file"
require_relative "thread_label"
require_relative "ticker"

module Holdup
  class Runtime
    # Measuring in one process, from opening the segment to closing it.
    class MeasuringSession
      # The profile has room for so many variable names.
      MOST_UNKNOWN = 5
      UNKNOWN_GAUGES = Array.new(Segment::Layout::GAUGE_SLOTS).freeze
      private_constant :UNKNOWN_GAUGES

      def initialize(configuration:, probe:, guard:, log:, env:, resources:)
        @configuration = configuration
        @probe = probe
        @guard = guard
        @log = log
        @resources = resources
        @labels = ThreadLabel.new
        @unknown_variables = Configuration::Variables.unknown(env).first(MOST_UNKNOWN).join(" ")
        @facts = SettingFacts.new(configuration:, env:, root: WorkingFolder.path)
      end

      # @param generation [Integer] forks between the first process and this one
      # @param brief [Boolean] whether the process ends after one job
      # @raise [Error, SystemCallError] when the segment can't be created; nothing is measured then
      def open(server:, generation:, brief: false)
        @generation = generation
        @brief = brief
        use(server)
        path = open_segment
        @probe.enable
        @guard.call(:places) { note_places }
        @capture = capture_controller(path)
        @stats_log = @guard.call(:stats_log) { stats_log }
        @retained = RetainedObjects.new(probe: @probe)
        @guard.call(:retained) { @retained.start } if @configuration.watch_objects && !brief
        resume
        self
      end

      def before_fork
        @capture&.before_fork
        @ticker&.wait_until_asleep
      end

      # Ends our thread; measuring goes on.
      def pause = @ticker.stop

      def resume
        @ticker = Ticker.new(seconds: @configuration.tick_seconds, guard: @guard).start { tick }
      end

      # Called when the process's servers have changed.
      def identify(server)
        use(server)
        resume unless @ticker.alive?
        @probe.identify(server.worker, server_generation)
        describe
      end

      # Stops ticking until `close` or `identify`; units are still recorded. Safe in a signal handler.
      def let_go = @ticker&.let_go

      def close
        @ticker.stop
        @guard.call(:tick) { tick }
        @guard.call(:segment) { @file.ends }
        @guard.call(:stats_log) { @stats_log&.close }
        @guard.call(:capture) { @capture.close }
        @guard.call(:retained) { @retained.stop }
        @probe.sample_holds(0)
        @probe.disable
        @probe.close_segment
      end

      # Updates the segment: accounts, setting, gauges. A part that fails does not affect the others.
      def tick
        @guard.call(:threads) { label_threads }
        @guard.call(:retained) { @retained.tick }
        @guard.call(:describe) { describe }
        name = @probe.tick(@guard.call(:gauges) { @stats.to_a } || UNKNOWN_GAUGES)
        @guard.call(:segment) { @file.name_again(name) } if name.is_a?(Symbol)
        @guard.call(:stats_log) { @stats_log&.tick }
        @guard.call(:capture) { @capture.tick }
      end

      private

      # Where in the application's code threads hold the GVL for long, or repeat queries.
      def note_places
        over_ns = @configuration.hold_sample.to_i * 1_000_000
        repeated = @configuration.repeated_queries
        return if over_ns.zero? && repeated.zero?
        @probe.application_folders(ApplicationCode.root, ApplicationCode.foreign, ApplicationCode.ours)
        @probe.repeated_queries = repeated
        @probe.sample_holds(over_ns) if over_ns.positive?
      end

      def capture_controller(path)
        Capture::Controller.new(
          probe: @probe,
          segment: path,
          clock: Clock.new,
          log: @log,
          rule: Capture::Rule.from(@configuration.capture),
          in_memory: !@configuration.segment_place.anonymous,
          facts: {"app" => @configuration.app}.compact,
          sampling: Capture::StackSampling.of(@configuration.capture_sampler, probe: @probe, guard: @guard)
        )
      end

      # The log of statistics is loaded only when it is configured.
      def stats_log
        wanted = @configuration.stats_log
        return if wanted.nil? || wanted == :off
        require_relative "../stats_log"
        StatsLog.build(
          StatsLog::LogOptions.from(wanted),
          probe: @probe,
          log: @log,
          gauges: -> { @resources.gauges },
          clock: Clock.new
        )
      end

      def use(server)
        @server = server
        @stats = Probe::ProcessStats.new(
          pools: server.pools,
          resources: -> { @resources.pools },
          gauges: -> { @resources.gauges.merge(server.gauges.call) }
        )
      end

      def server_generation
        @server.generation || @generation
      end

      def open_segment
        @file = SegmentFile.new(place: @configuration.segment_place, probe: @probe, log: @log)
        path = @file.open(
          series: @configuration.series_limit,
          ring: @brief ? SegmentFile::SMALL_RINGS.last : @configuration.ring_size,
          pairs: @configuration.pair_limit,
          worker: @server.worker,
          generation: server_generation
        )
        describe
        path
      end

      # Work outside of units goes to the account of the thread's name.
      def label_threads
        Thread.list.each { |thread| @probe.label(thread, @labels.of(thread)) }
      end

      # Called at each tick, because some facts come late: YJIT may be enabled after boot, a job runner starts
      # in a thread.
      def describe
        @resources.install
        @probe.pools = pools.map(&:name)
        server = @resources.facts.merge(@server.facts)
        setting = @facts.to_json(server:, room: Segment::Layout::SETTING_BYTES)
        @probe.setting = @setting = setting unless setting == @setting
        profile = FlatJson.generate(profile_facts, room: Segment::Layout::PROFILE_BYTES)
        @probe.profile = @profile = profile unless profile == @profile
      end

      def pools
        [*@server.pools.call, *@resources.pools].first(Segment::Layout::POOLS)
      end

      def profile_facts
        names = pools.each_with_index.to_h { |pool, index| ["pool.#{index}", pool.name] }
        unknown = {"variables.unknown" => @unknown_variables} unless @unknown_variables.empty?
        hooks = {"unhooked" => @guard.unhooked.keys, "notified" => @guard.notified.keys}
        hooks = hooks.reject { |_, methods| methods.empty? }
        levers = @server.levers.call.map(&:to_profile).inject({}, :merge)
        {
          "server" => @server.name,
          **names,
          **@resources.profile,
          **unknown.to_h,
          **hooks.transform_values { |methods| methods.join(" ") },
          **@file.profile,
          **@capture&.profile.to_h,
          **levers,
          **@retained&.profile.to_h,
          **waiting
        }
      end

      # Last, because what has no room is left out at the end.
      # @return [Hash{String => String}] "waiting.0.0" => of the first pool, the first text of its queues
      def waiting
        pools.each_with_index.with_object({}) do |(pool, index), facts|
          next unless pool.respond_to?(:queues)
          WaitingQueue.texts(pool.queues).each_with_index do |text, part|
            facts["waiting.#{index}.#{part}"] = text
          end
        end
      end
    end
  end
end
