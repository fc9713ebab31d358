# frozen_string_literal: true

require_relative "../cores"
require_relative "server"
require_relative "setting_comparison"

module Bench
  # Boots the tracker, warms it up, and either records it as production would or measures what it does.
  class TrackerTrial
    # A store with what was recorded from `from_s` to `to_s` (since 1970). `cpu_ns`: of a request, by the
    # system; `calibration_ns`: see Calibration; `beside`: CPUs that everything but the server used
    TrackerRecording = Data.define(:name, :store, :from_s, :to_s, :cpu_ns, :calibration_ns, :beside)

    # A phase of a load. `value`: what the load returned; `cpu_s`: of the server; `beside_s`: CPU seconds of
    # everything else; `span`: since 1970
    LoadPhase = Data.define(:value, :cpu_s, :beside_s, :span) do
      # @param server [#cpu_s]
      # @yieldreturn [Object] the value
      def self.of(server)
        from_s = now_s
        busy_s = Cores.busy_s
        cpu_s = server.cpu_s
        value = yield
        cpu_s = server.cpu_s - cpu_s
        new(value:, cpu_s:, beside_s: Cores.busy_s - busy_s - cpu_s, span: from_s..now_s)
      end

      def self.now_s = Process.clock_gettime(Process::CLOCK_REALTIME)
      private_class_method :now_s

      # @return [Float] CPUs that everything but the server used
      def beside = beside_s / (span.end - span.begin)
    end

    # One setting. `rate`: requests per second of the open load; `saturated` and `open`: CostOfRequest
    MeasuredSetting = Data.define(:processes, :threads, :rate, :figures, :saturated, :open) do
      def name = "#{processes} x #{threads}"
    end

    # ns of CPU for a request, and of the calibration meanwhile.
    CostOfRequest = Data.define(:cpu_ns, :calibration_ns)

    MINUTE_S = 60
    # The client of the warm-up starts and its last requests end within these.
    DRAIN_S = 6
    OPEN_SEED = 7

    # @param scratch [String] folder in memory; `folder`: for the stores
    # @param warm_up_s [Numeric] at least; `saturated_s` and `open_s`: of each measurement
    # @param whole_minutes [Boolean] whether recordings begin with a minute, so that no window of the store
    #   mixes them with the warm-up
    def initialize(app, calibration, scratch:, folder:, warm_up_s:, saturated_s:, open_s:, whole_minutes:)
      @app = app
      @calibration = calibration
      @scratch = scratch
      @folder = folder
      @warm_up_s = warm_up_s
      @saturated_s = saturated_s
      @open_s = open_s
      @whole_minutes = whole_minutes
    end

    # @param name [String] of the recording
    # @yieldparam server [TrackerServer] warm
    # @yieldreturn [Integer] requests that were answered
    # @return [TrackerRecording]
    def record(processes, threads, name)
      store = File.join(@folder, "#{name.tr(" ", "-")}.sqlite3")
      phase = boot(processes, threads, store:) do |server|
        warm_up_to_minute(server)
        phase(server) { yield server }
      end
      raise Failure, "#{name}: nothing was recorded (is the C extension compiled?)" unless File.exist?(store)
      TrackerRecording.new(name:, store:, from_s: first_s(phase), to_s: phase.span.end.ceil,
        beside: phase.beside, **cost(phase, phase.value).to_h)
    end

    # @param share [Float, nil] the open load as a part of the throughput that is measured here; nil: as
    #   `rate` says
    # @return [MeasuredSetting]
    def measure(processes, threads, rate: nil, share: nil)
      boot(processes, threads) do |server, segments|
        server.saturate(@warm_up_s)
        saturated = phase(server) { server.saturate(@saturated_s) }
        rate ||= share * saturated.value.rate
        open = open_load(server, segments, rate, saturated.value.rate)
        MeasuredSetting.new(processes:, threads:, rate:, saturated: cost(saturated, saturated.value.answered),
          **open)
      end
    end

    private

    # @return [Hash{Symbol => Object}] `figures` and `open` of the MeasuredSetting
    def open_load(server, segments, rate, throughput)
      intake = Holdup::Lab::InMemoryStore.new(segments).clear
      arrivals = ChangingArrivals.steady(TrackerPages::ALL, rate:, seconds: @open_s, seed: OPEN_SEED)
      open = phase(server) { server.serve(arrivals, @open_s) }
      intake.close
      outcome = Holdup::Lab::Trial::TrialResult.new(arm: nil, rate:, seconds: @open_s, load: :open,
        seen: open.value, cpu_s: open.cpu_s, memory_bytes: nil, gauges: [], warmed: nil,
        windows: intake.windows, profiles: intake.profiles, samples: intake.samples)
      figures = SettingFigures.new(throughput:, wait_ns: outcome.wait_ns, response_ns: outcome.response_ns,
        p95_ns: outcome.percentile(0.95))
      {figures:, open: cost(open, open.value.total.answered)}
    end

    def boot(processes, threads, store: nil)
      Dir.mktmpdir("segments", @scratch) do |segments|
        TrackerServer.run(@app, processes:, threads:, segments:, store:) do |server|
          yield server, segments
        end
      end
    end

    # A store finds a minute by its start, so without whole minutes the warm-up is part of the recording.
    def first_s(phase)
      @whole_minutes ? phase.span.begin.floor / MINUTE_S * MINUTE_S : 0
    end

    def warm_up_to_minute(server)
      return server.saturate(@warm_up_s) unless @whole_minutes
      at_s = now_s
      start_s = ((at_s + @warm_up_s + DRAIN_S) / MINUTE_S).ceil * MINUTE_S
      server.saturate(start_s - DRAIN_S - at_s)
      left_s = start_s - now_s
      IO.select(nil, nil, nil, left_s) if left_s.positive?
    end

    def phase(server, &) = LoadPhase.of(server, &)

    def cost(phase, requests)
      cpu_ns = phase.cpu_s * 1e9 / requests
      CostOfRequest.new(cpu_ns:, calibration_ns: @calibration.median_ns(phase.span))
    end

    def now_s = Process.clock_gettime(Process::CLOCK_REALTIME)
  end
end
