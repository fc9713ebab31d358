# frozen_string_literal: true

require "tmpdir"
require "native/gvl_work"

# What runs inside an arm's process: each tool of the field behind the same methods.
#   prepare       sees to what it needs in a Rails application, before that boots
#   start         switches it on, for the whole process
#   open          begins a measurement on this thread and leaves it open
#   unit          one unit: ten releases of the GVL, and what the tool does to measure and record them
#   settle        after start: ends what goes by the clock, once it has done its first work
#   stop          before the process ends
#   around(app)   the Rack application inside its middleware
#   jobs(config)  puts its middleware into a Sidekiq, before that runs
#   launched(it)  does what it does when a Sidekiq runs, to one that only looks as if it did
module Bench
  module Tools
    RELEASES = 10
    APPLICATION = lambda do |_env|
      GvlWork.release(RELEASES)
      [200, {}, []]
    end

    # Loaded when asked for: a tool's hooks and gems stay out of the other arms' processes.
    autoload :EmptyHook, "tools/empty_hook"
    autoload :LeastHook, "tools/empty_hook"
    autoload :EmptyMiddleware, "tools/empty_middleware"
    autoload :Gvltools, "tools/gvltools"
    autoload :GvlTiming, "tools/gvl_timing"
    autoload :Vernier, "tools/vernier"
    autoload :GvlMetricsMiddleware, "tools/gvl_metrics_middleware"
    autoload :Perfm, "tools/perfm"
    autoload :PerfmInDatabase, "tools/perfm_in_database"
    autoload :Holdup, "tools/holdup"
    autoload :HoldupOnFinish, "tools/holdup_on_finish"
    autoload :HoldupProbe, "tools/holdup_probe"
    autoload :HoldupCore, "tools/holdup_probe"
    autoload :HoldupCapture, "tools/holdup_capture"
    autoload :HoldupStacks, "tools/holdup_stacks"
    autoload :HoldupVernier, "tools/holdup_vernier"
    autoload :GvlTracing, "tools/gvl_tracing"
    autoload :OpenTelemetry, "tools/open_telemetry"
    autoload :Datadog, "tools/datadog"
    autoload :Rperf, "tools/rperf"

    ALL = {
      "none" => -> { None.new },
      "none again" => -> { None.new },
      "empty hook" => -> { EmptyHook.new },
      "least hook" => -> { LeastHook.new },
      "empty middleware" => -> { EmptyMiddleware.new },
      "gvltools" => -> { Gvltools.new },
      "gvl_timing" => -> { GvlTiming.new },
      "vernier" => -> { Vernier.new },
      "gvl_metrics_middleware" => -> { GvlMetricsMiddleware.new },
      "perfm" => -> { Perfm.new },
      "perfm in its database" => -> { PerfmInDatabase.new },
      "holdup" => -> { Holdup.new },
      "holdup with on_finish" => -> { HoldupOnFinish.new },
      "holdup probe" => -> { HoldupProbe.new },
      "holdup core" => -> { HoldupCore.new },
      "holdup capture" => -> { HoldupCapture.new },
      "holdup capture with stacks" => -> { HoldupStacks.new },
      "holdup capture sampled by vernier" => -> { HoldupVernier.new },
      "gvl-tracing" => -> { GvlTracing.new },
      "OpenTelemetry" => -> { OpenTelemetry.new },
      "Datadog" => -> { Datadog.new },
      "rperf" => -> { Rperf.new }
    }.freeze

    # @param name [String] a key of ALL
    # @return [None] the tool
    def self.find(name) = ALL.fetch(name).call

    # Nothing measures: the price of the work itself.
    class None
      def prepare = nil

      def start = nil

      def settle = nil

      def stop = nil

      def open = nil

      def unit = GvlWork.release(RELEASES)

      # @param app [#call]
      # @return [#call] the application with the tool around it
      def around(app) = app

      # @param config [Sidekiq::Config]
      # @return [void]
      def jobs(config) = nil

      # @param launcher [Sidekiq::Launcher]
      # @return [void]
      def launched(launcher) = nil

      private

      # A folder of this process's own, which ends with the arm (see Fresh).
      def scratch
        Dir.mktmpdir("arm", ENV.fetch("HOLDUP_BENCH_SCRATCH"))
      end
    end
  end
end
