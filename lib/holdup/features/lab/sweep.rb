# frozen_string_literal: true

module Holdup
  module Lab
    # Measures the user's own server with each setting, with the same requests at the same rates, in rounds of
    # changing order. The first setting, the baseline, runs twice to show how much chance alone changes. Its
    # recording predicts the others.
    class Sweep
      # A rate is too high if the mean response is this many times that of the lowest rate.
      OVERLOAD = 1.5

      # @raise [UnsupportedError] the tool is not on this machine
      def self.load(plan, env)
        plan.tool ? LoadTool::ALL.fetch(plan.tool).find(env.fetch("PATH", "")) : Load::OpenLoop.new
      end

      # @param ledger [ProgressFile] new, or to resume
      # @param load [#call] see Trial
      # @param store [#commit, nil] receives the measurements as well
      # @param progress [#call] receives the number of the step, their count, a Symbol and facts
      # @param trial [#new] Trial
      def initialize(ledger, env:, load: self.class.load(ledger.plan, env), store: nil, trial: Trial,
        progress: ->(_number, _of, _step, **_facts) {})
        @ledger = ledger
        @plan = ledger.plan
        @store = store
        @progress = progress
        @number = @plan.steps.size - ledger.left.size
        @trial = trial.new(@plan.command, routes: @plan.routes, env:, root: @plan.root, port: @plan.port,
          load:, warm_up_s: @plan.warm_up_s, progress: method(:report))
      end

      # @return [SweepReport]
      # @raise [Holdup::Error] see ExperimentResult.of
      def call
        SweepReport.of(@ledger) do
          @ledger.left.each { |round, arm| step(round, arm) }
        end
      end

      private

      def step(round, arm)
        @number += 1
        outcomes = @trial.call(arm, rate: @plan.rates.first) { |session| climb(session, round) }
        measurements = outcomes.map { |outcome| SettingMeasurement.of(outcome, round:) }
        @ledger.add(measurements, (arm == @plan.baseline) ? predictions(outcomes, round) : [])
      end

      # Raises the rate until it is too high.
      def climb(session, round)
        outcomes = []
        @plan.rates.each do |rate|
          outcome = session.measure(rate:, seconds: @plan.seconds, seed: round + 1)
          keep(outcome)
          outcomes << outcome
          break if overloaded?(outcomes)
        end
        outcomes
      end

      def overloaded?(outcomes)
        first = outcomes.first
        last = outcomes.last
        return true unless @plan.closed? || last.kept_up?
        slower = last.response_ns > OVERLOAD * first.response_ns
        slower || !@plan.promise.met?(last.percentile(@plan.promise.percentile))
      end

      # Predicts each rate from the recording at the same rate, so that other waits (database, network) stay
      # the same. Requests of other load tools lack X-Request-Start, so their arrivals are not known.
      def predictions(outcomes, round)
        return [] if @plan.tool
        outcomes.flat_map do |outcome|
          predictor = Predictor.new(outcome, round:)
          @plan.arms.reject(&:again).filter_map { |arm| predictor.call(arm) }
        end
      end

      def keep(outcome)
        @store&.commit(outcome.windows, {}, processes: outcome.samples, unit_samples: outcome.blocks)
      end

      def report(step, **facts)
        @progress.call(@number, @plan.steps.size, step, **facts)
      end

      # What a sweep tries, complete enough to resume it later.
      #
      # - `command`, `root`, `port`: see ServerUnderTest; `requests`: lines, see Route::Lines
      # - `arms`: Array of Arm, the baseline first and again right after it; `rates`: requests per second,
      #   ascending
      # - `tool`: of LoadTool, nil: the built-in load; in a closed loop the rates are numbers of connections
      # - `seconds` of each rate; `rounds`; `warm_up_s` at most; `slo`: as the user wrote it, or nil
      # - `recorded`: Route::RecordedTraffic#to_h if the requests come from a recording
      SweepPlan = Data.define(:command, :root, :port, :requests, :arms, :rates, :seconds, :rounds,
        :warm_up_s, :slo, :tool, :recorded) do
        # @param arms [Array<Arm>] each setting once
        # @param baseline [Arm] one of them
        # @return [Array<Arm>] with the baseline first, and once more
        def self.ordered(arms, baseline)
          [baseline, baseline.with(again: true), *(arms - [baseline])]
        end

        # @param hash [Hash{Symbol => Object}] from to_h
        def self.from(hash)
          new(**hash.slice(*members), arms: hash.fetch(:arms).map { |arm| Arm.from(arm) })
        end

        def initialize(port: nil, warm_up_s: 45, slo: nil, tool: nil, recorded: nil, **rest)
          super
        end

        # @return [Boolean] whether slow answers delay further requests
        def closed? = LoadTool::CLOSED.include?(tool)

        # @return [Array<Array(Integer, Arm)>] round and arm, in order
        def steps
          (0...rounds).flat_map { |round| Arm::Rounds.order(arms, round).map { |arm| [round, arm] } }
        end

        def baseline = arms.first

        def routes = Route::Lines.routes(requests)

        def promise
          (slo && Advise::Sizing::Slo.parse(slo)) || Advise::Sizing::Slo.new
        end

        # @return [Float] estimated seconds of a step, before the first one
        def step_s
          5 + warm_up_s / 2.0 + seconds * rates.size
        end

        def to_h = super.merge(arms: arms.map(&:to_h))
      end

      # A prediction for another setting from one recording: the same requests at the same rate. Times in ns,
      # means except percentiles.
      SettingPrediction = Data.define(:arm, :round, :rate, :throughput, :queued_ns, :stalled_ns, :response_ns,
        :p50_ns, :p95_ns, :p99_ns) do
        # @param hash [Hash{Symbol => Object}] from to_h
        def self.from(hash)
          new(**hash, arm: Arm.from(hash.fetch(:arm)))
        end

        # @return [Integer] ns of waiting that a user notices
        def wait_ns = queued_ns + stalled_ns

        # @see SettingMeasurement#percentile
        def percentile(share)
          public_send(Exchange::Percentile.kept(share))
        end

        def to_h = super.merge(arm: arm.to_h)
      end

      # The sweep's file: the plan, and all measurements and predictions so far. Written after each step.
      class ProgressFile
        FILE = LedgerFile.new("sweep")

        attr_reader :path, :plan, :readings, :predictions

        # @raise [Holdup::Error] the file can't be read, or has another format
        def self.open(path)
          FILE.read(path) do |hash|
            new(path, SweepPlan.from(hash.fetch(:plan)),
              readings: hash.fetch(:readings).map { |reading| SettingMeasurement.from(reading) },
              predictions: hash.fetch(:predictions).map { |prediction| SettingPrediction.from(prediction) })
          end
        end

        def initialize(path, plan, readings: [], predictions: [])
          @path = path
          @plan = plan
          @readings = readings
          @predictions = predictions
        end

        # @return [Array<Array(Integer, Arm)>] remaining steps
        def left
          plan.steps.reject { |round, arm| done?(round, arm) }
        end

        # @param readings [Array<SettingMeasurement>] of one step
        def add(readings, predictions = [])
          @readings += readings
          @predictions += predictions
          write
        end

        # @raise [Holdup::Error]
        def write = FILE.write(path, parts)

        def to_h = FILE.whole(parts)

        private

        def parts
          {plan: plan.to_h, readings: readings.map(&:to_h), predictions: predictions.map(&:to_h)}
        end

        def done?(round, arm)
          readings.any? { |reading| reading.round == round && reading.arm == arm }
        end
      end
    end

    # The results of one step at one rate, as plain figures for a file. Durations are means in ns unless their
    # name says otherwise.
    #
    # - `arm`, `round`, `rate`; `setting`: the facts that the server reported
    # - as the client saw it: `sent`, `answered`, `errors`, `throughput` (answers per second), `client_p50_ns`
    #   and so on
    # - in the server: `queued_ns` (from the client's sending), `stalled_ns`, `running_ns`, `idle_ns`,
    #   `response_ns`, `p50_ns`, `p95_ns` and `p99_ns` (queued included), `cpu_ns` of a request,
    #   `memory_bytes`
    # - `jit`: {kind, by, code_bytes, metadata_bytes, saturated}, sizes of the largest process; `cold`:
    #   additional CPU of the first requests compared with the last, as a share; `warm_after_s`: time until it
    #   vanished
    # - `warm_up_s`, `steady`; `endpoints`: {name => Endpoints::EndpointFigures}
    Sweep::SettingMeasurement = Data.define(
      :arm, :round, :rate, :setting,
      :sent, :answered, :errors, :throughput, :client_p50_ns, :client_p95_ns, :client_p99_ns,
      :queued_ns, :stalled_ns, :running_ns, :idle_ns, :response_ns, :p50_ns, :p95_ns, :p99_ns,
      :cpu_ns, :memory_bytes, :jit, :cold, :warm_after_s, :warm_up_s, :steady, :endpoints
    ) do
      def self.of(outcome, round:)
        new(
          arm: outcome.arm,
          round:,
          rate: outcome.rate,
          setting: outcome.setting.attributes,
          **client(outcome),
          **server(outcome),
          **warm_up(outcome.warmed),
          cpu_ns: outcome.cpu_ns&.round,
          memory_bytes: outcome.memory_bytes,
          jit: jit(outcome),
          endpoints: Endpoints.new(outcome.recording, load: reference(outcome)).to_h
        )
      end

      # @param hash [Hash{Symbol => Object}] from to_h
      def self.from(hash)
        endpoints = hash.fetch(:endpoints).to_h do |name, figures|
          [name.to_s, Endpoints::EndpointFigures.new(**figures)]
        end
        new(**hash, arm: Arm.from(hash.fetch(:arm)), setting: hash.fetch(:setting).transform_keys(&:to_s),
          endpoints:)
      end

      def self.client(outcome)
        total = outcome.seen.total
        {
          sent: total.count,
          answered: total.answered,
          errors: total.unexpected,
          throughput: outcome.throughput.round(3),
          client_p50_ns: total.p50_ns,
          client_p95_ns: total.p95_ns,
          client_p99_ns: total.p99_ns
        }
      end

      def self.server(outcome)
        row = outcome.total
        percentiles = Exchange::Percentile::KEPT.invert.transform_values { |share| outcome.percentile(share) }
        {
          queued_ns: outcome.queued_ns&.round,
          stalled_ns: outcome.stalled_ns.round,
          running_ns: row.histogram(:running).mean.round,
          idle_ns: row.histogram(:idle).mean.round,
          response_ns: outcome.response_ns.round,
          **percentiles
        }
      end

      def self.jit(outcome)
        largest = ->(gauge) { outcome.gauges.filter_map { |gauges| gauges[gauge] }.max }
        {
          kind: outcome.setting["jit"],
          by: outcome.setting["jit_by"],
          code_bytes: largest[:jit_code_bytes],
          metadata_bytes: largest[:jit_alloc_bytes],
          saturated: largest[:jit_saturated].to_i.positive?
        }
      end

      def self.warm_up(warmed)
        {cold: warmed.cold.round(3), warm_after_s: warmed.warm_after_s.round(1), warm_up_s: warmed.seconds,
         steady: warmed.steady}
      end

      def self.reference(outcome)
        Endpoints::ReferenceLoad.new(rate: outcome.rate, processes: outcome.recording.processes,
          threads: outcome.recording.threads)
      end
      private_class_method :client, :server, :jit, :reference, :warm_up

      # @return [Endpoints::ReferenceLoad] of the endpoints' figures
      def load
        Endpoints::ReferenceLoad.new(rate:, processes: [setting["workers"].to_i, 1].max,
          threads: setting["threads"] || arm.threads || 1)
      end

      # @return [Integer] ns of waiting that a user notices, mean
      def wait_ns = queued_ns.to_i + stalled_ns

      # @param seconds [Numeric] of sending its requests
      # @return [Boolean] whether the server kept up with them, see Load::Pace
      def kept_up?(seconds)
        Load::Pace.kept?(sent:, throughput:, seconds:, response_ns:)
      end

      # @param share [Float] 0.5, 0.95 or 0.99; others use the next stored one above
      # @return [Integer] ns
      def percentile(share)
        public_send(Exchange::Percentile.kept(share))
      end

      def to_h
        super.merge(arm: arm.to_h, endpoints: endpoints.transform_values(&:to_h))
      end
    end
  end
end
