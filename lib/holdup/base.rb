# frozen_string_literal: true

# Another copy of Holdup is in this process. It learns of this one, and nothing more of this one is loaded.
if defined?(Holdup::FOLDER) && __dir__ != Holdup::FOLDER
  Holdup::OtherCopy.meet(__dir__)
  return
end

require_relative "version"
require_relative "model/errors"
require_relative "model/clock"
require_relative "agent/configuration"
require_relative "agent/gem_activation"
require_relative "agent/log"
require_relative "agent/main_gem"
require_relative "agent/other_copy"
require_relative "agent/runtime"
require_relative "agent/servers"
require_relative "agent/instrumentation/asked_endpoint"
require_relative "agent/instrumentation/calls"
require_relative "agent/instrumentation/controller_figures"
require_relative "agent/instrumentation/job_units"
require_relative "agent/instrumentation/libraries"
require_relative "agent/instrumentation/queue_time"
require_relative "agent/instrumentation/rack"
require_relative "agent/instrumentation/request_units"
require_relative "agent/instrumentation/server_timing"
require_relative "agent/instrumentation/thread_pool_jobs"
require_relative "agent/instrumentation/unit_name"

# Measures which threads hold the GVL and which wait for it, for each request and job. Loading starts nothing:
#
#   Holdup.configure { |config| config.app = "storefront" }   # optional
#   Holdup.start                                              # Rails and Puma's plugin do it by themselves
#   Holdup.measure("ReportJob", kind: :job) { report }        # any block as a unit
#   Holdup.name = "GraphQL: Orders"                           # inside a unit
#   Holdup.current.stalled                                    # inside a unit: seconds so far
#
# All state is in the runtime of this process, created at first use.
module Holdup
  Instrumentation.autoload(:ActiveJob, File.join(__dir__, "agent/instrumentation/active_job"))

  # Servers whose workers are threads may call `start` in several threads at once.
  STARTING = Mutex.new
  private_constant :STARTING

  # What is mounted as the dashboard where this process has files of two copies.
  NO_DASHBOARD = ->(_env) do
    [503, {"content-type" => "text/plain"}, ["Holdup: #{OtherCopy.reason || "not measuring"}\n"]]
  end
  private_constant :NO_DASHBOARD

  class << self
    # Zeitwerk loads the dashboard, and only where it is mounted.
    # @raise [UnsupportedError] for the dashboard without the gem `holdup`
    def const_missing(name)
      return super unless name == :Web
      return NO_DASHBOARD if runtime.other_copy?
      MainGem.require_loader
      const_get(name)
    rescue LoadError => error
      raise MainGem.error("Holdup::Web", error, env: ENV)
    end

    # Changes settings; the environment (HOLDUP_*) stays stronger. Call it before `start`.
    # @yield [Configuration::Draft] with a setter for each key of docs/guide/configuration.md
    # @raise [ConfigurationError] for a wrong value, or when measuring runs already
    def configure
      return if runtime.other_copy?
      if running?
        raise ConfigurationError.new(
          key: :configure,
          value: "a call after Holdup.start",
          expected: "your settings before it"
        )
      end
      draft = (@draft || Configuration.draft).dup
      Configuration.build(draft:) { yield draft }
      @draft = draft
      runtime.reconfigure
      @requests = nil
    end

    # Starts measuring in this process and its forks; under a server or job runner (docs/guide/servers.md)
    # once that is ready, in the processes that take units. Never raises: failures are logged.
    # @return [Boolean] whether this call started it
    def start
      STARTING.synchronize { start_once }
    end

    def stop = @runtime&.stop

    def running? = !!@runtime&.running?

    # Measures a block as one unit, also when it raises.
    # @param name [String] what it does, without ids
    # @param kind [Symbol] :job or :request
    # @return [Object] the block's value
    def measure(name, kind: :job, queue: nil, &)
      recorder.measure(name, kind:, queue:, &)
    end

    # Names the unit that runs here; does nothing outside of units.
    # @param name [String] at most 200 bytes are kept
    def name=(name)
      Recorder::OpenUnit.current&.name = name
    end

    # What the innermost request or job that runs here took so far; nil outside of them, and where nothing is
    # measured. Nothing is allocated before the first call.
    # @return [UnitFigures, nil]
    def current = Recorder::OpenUnit.current&.measured

    # A wrong environment variable is logged, and then nothing is measured.
    def configuration = runtime.configuration

    def recorder = runtime.recorder

    def requests
      @requests ||= build_requests
    end

    def jobs
      @jobs ||= build_jobs
    end

    def servers
      @servers ||= build_servers
    end

    def runtime
      @runtime ||= build_runtime
    end

    private

    def start_once
      return false if running?
      served = configuration.enabled && runtime.guard.call(:servers) { servers.call }
      return true if running? # the server was ready already
      served ? !!runtime.wait_for_server : runtime.start
    end

    def build_jobs
      pool_of = lambda do |queue|
        runtime.pool_of(queue) || Instrumentation::ThreadPoolJobs.pool_of(Thread.current)
      end
      Instrumentation::JobUnits.new(recorder:, clock: Clock.new, pool_of:)
    end

    def build_servers
      middleware = ->(app) { Instrumentation::Rack.new(app, requests) }
      Servers::Attachment.new(runtime:, middleware:)
    end

    def build_runtime
      log = Log.new { Configuration.log_target(env: ENV, draft: @draft || Configuration.draft) }
      settings = lambda do
        Configuration.build(env: Configuration.readable(ENV), draft: @draft || Configuration.draft)
      end
      worker = -> { Servers.worker($PROGRAM_NAME) }
      Runtime.new(settings:, log:, env: ENV, worker:, other_copy: -> { OtherCopy.reason }).tap do |runtime|
        libraries = Instrumentation::Libraries.new(recorder: runtime.recorder, jobs: -> { jobs })
        libraries.each { |resource| runtime.add(resource) }
        runtime.add(Instrumentation::AskedEndpoint.new(-> { requests.names }, guard: runtime.guard))
        wanted = -> { runtime.configuration.calls }
        runtime.add(Instrumentation::Calls.new(recorder: runtime.recorder, wanted:))
        added = -> { runtime.configuration.add_figures_to }
        runtime.add(Instrumentation::ControllerFigures.new(wanted: added, guard: runtime.guard))
      end
    end

    def build_requests
      settings = configuration
      queue = queue_time(settings)
      runtime.add(queue)
      recorder.probe.show_paths(settings.open_units.fetch(:path, true))
      Instrumentation::RequestUnits.new(
        recorder:,
        ignored: settings.ignored, ignored_starts: settings.ignored_starts,
        example_paths: settings.example_paths,
        server_timing: Instrumentation::ServerTiming.wanted?(settings.server_timing),
        names: Instrumentation::UnitName.new(guard: recorder.guard, custom: settings.name),
        queue:
      )
    end

    def queue_time(settings)
      on_clamp = -> { recorder.count_clamped }
      Instrumentation::QueueTime.new(header: settings.queue_header, clock: Clock.new, on_clamp:)
    end
  end
end

Holdup::GemActivation.give_back
