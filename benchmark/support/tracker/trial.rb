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

    # One setting. `rate`: requests per second of the open load; `saturated` and `open`: CostOfRequest;
    # `beside`: the setting that took turns with it, if any
    MeasuredSetting = Data.define(:processes, :threads, :rate, :figures, :saturated, :open, :beside) do
      def name = "#{processes} x #{threads}"
    end

    # ns of CPU for a request, and of the calibration meanwhile.
    CostOfRequest = Data.define(:cpu_ns, :calibration_ns)

    MINUTE_S = 60
    # The client of the warm-up starts and its last requests end within these.
    DRAIN_S = 6
    OPEN_SEED = 7
    # Turns that settings beside each other take with each load.
    TURNS = 2
    # Between the turns of a prediction: everything has ended by then.
    PAUSE_S = 60

    # The requests of the open load, at every setting the same ones at the same moments of each turn.
    # @return [Array<ChangingArrivals>]
    def self.open_turns(rate:, seconds:)
      Array.new(TURNS) do |turn|
        ChangingArrivals.steady(TrackerPages::ALL, rate:, seconds: seconds.fdiv(TURNS),
          seed: OPEN_SEED + turn)
      end
    end

    # All of them, one turn after the other.
    # @return [Array<Holdup::Lab::Load::Arrivals::Arrival>]
    def self.open_arrivals(rate:, seconds:)
      open_turns(rate:, seconds:).each_with_index.flat_map do |arrivals, turn|
        begin_ns = turn * ((seconds.fdiv(TURNS) + PAUSE_S) * 1e9).round
        arrivals.map { |arrival| arrival.with(at_ns: arrival.at_ns + begin_ns) }
      end
    end

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

    # Several settings have a server each and take turns: a machine that computes at another speed from minute
    # to minute does so for all of them.
    # @param sizes [Array<Array(Integer, Integer)>] processes and threads of each, at most two
    # @param share [Float, nil] the open load as a part of the throughput that the first one has here; nil: as
    #   `rate` says
    # @return [MeasuredSetting] the last one
    def measure(*sizes, rate: nil, share: nil)
      boot_all(sizes) do |servers|
        servers.each { |server, _| server.saturate(@warm_up_s) }
        saturated = in_turns(servers) { |server| server.saturate(@saturated_s.fdiv(TURNS)) }
        rates = saturated.map { |phases| phases.sum { |phase| phase.value.rate } / phases.size }
        rate ||= share * rates.first
        open = open_loads(servers, rate)
        sizes.each_index.reduce(nil) do |beside, index|
          figures, cost = open[index]
          processes, threads = sizes[index]
          MeasuredSetting.new(processes:, threads:, rate:, figures: figures.with(throughput: rates[index]),
            saturated: mean_cost(saturated[index], &:answered), open: cost, beside:)
        end
      end
    end

    private

    def boot_all(sizes, servers = [], &block)
      return yield(servers) if sizes.empty?
      boot(*sizes.first) { |*server| boot_all(sizes.drop(1), [*servers, server], &block) }
    end

    # @return [Array<Array<LoadPhase>>] of each server
    def in_turns(servers)
      turns = Array.new(TURNS) do |turn|
        servers.map { |server, _| phase(server) { yield server, turn } }
      end
      turns.transpose
    end

    # @return [Array<(SettingFigures, CostOfRequest)>] of each server
    def open_loads(servers, rate)
      intakes = servers.map { |_, segments| Holdup::Lab::InMemoryStore.new(segments).clear }
      loads = TrackerTrial.open_turns(rate:, seconds: @open_s)
      phases = in_turns(servers) { |server, turn| server.serve(loads[turn], @open_s.fdiv(TURNS)) }
      intakes.zip(phases).map do |intake, turns|
        intake.close
        [times(intake, turns, rate), mean_cost(turns) { |seen| seen.total.answered }]
      end
    end

    def times(intake, turns, rate)
      outcome = Holdup::Lab::Trial::TrialResult.new(arm: nil, rate:, seconds: @open_s, load: :open,
        seen: turns.first.value, cpu_s: turns.sum(&:cpu_s), memory_bytes: nil, gauges: [], warmed: nil,
        windows: intake.windows, unit_samples: intake.unit_samples, samples: intake.samples)
      SettingFigures.new(throughput: nil, wait_ns: outcome.wait_ns, response_ns: outcome.response_ns,
        p95_ns: outcome.percentile(0.95))
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

    # @yieldparam value [Object] of a phase
    # @yieldreturn [Integer] its requests
    def mean_cost(phases)
      requests = phases.sum { |phase| yield phase.value }
      calibrations = phases.map { |phase| @calibration.median_ns(phase.span) }
      CostOfRequest.new(cpu_ns: phases.sum(&:cpu_s) * 1e9 / requests,
        calibration_ns: calibrations.sum / calibrations.size)
    end

    def cost(phase, requests)
      cpu_ns = phase.cpu_s * 1e9 / requests
      CostOfRequest.new(cpu_ns:, calibration_ns: @calibration.median_ns(phase.span))
    end

    def now_s = Process.clock_gettime(Process::CLOCK_REALTIME)
  end
end
