# frozen_string_literal: true

require "holdup/loader"
require_relative "../cores"
require_relative "load_pattern"
require_relative "shapes"

module Bench
  # One setting of a shape, booted and warm, which is loaded in turns with others.
  class OpenServer
    # `responses`: ns of each request from the client's sending to its end, ascending; `rate`: requests per
    # second; `span`: seconds since 1970; `beside`: CPUs of everything but the server; `held_ns`: of the GVL
    # by a request, mean
    OpenTurn = Data.define(:responses, :rate, :seconds, :seed, :span, :beside, :held_ns) do
      # @param share [Float]
      # @return [Integer] ns
      def percentile(share) = Holdup::Lab::Exchange::Percentile.of(responses, share)
    end

    # Without a load, what else runs on the machine is seen for so long.
    IDLE_S = 4
    WARM_UP = OpenPattern.new(arrivals: :poisson, kept: false)
    # Requests per second of a process at most, and the share of its threads that is busy.
    WARM_RATE = 40
    WARM_SHARE = 0.6

    # What the recorded setting did under a load, for predictions. `beside`: CPUs of everything else,
    # `idle_beside`: the same without any load
    OpenRecording = Data.define(:windows, :unit_samples, :samples, :rate, :seconds, :span, :beside,
      :idle_beside) do
      # @return [Holdup::Advise::Sizing::Recording]
      def recording(shared:)
        from_s, to_s = span.minmax
        members = Holdup::Analysis::ProcessReport.new(samples, from_s: from_s.floor, to_s: to_s.ceil).members
        Holdup::Advise::Sizing::Recording.of(kind: :request, windows:, unit_samples:, samples:, warm_up_s: 0,
          members:, shared:)
      end
    end

    # @return [Holdup::Lab::Arm]
    attr_reader :arm

    # @param shape [OpenShape]
    # @param arm [Holdup::Lab::Arm]
    # @param folders [Hash{Symbol => String}] `folder` for its log, `segments` in memory
    def initialize(shape, arm, folders)
      @shape = shape
      @arm = arm
      @folders = folders
      @queue = "open-#{arm.name.tr(" ()", "")}"
    end

    # @param warm_up_s [Numeric] at most
    # @return [self] warm
    # @raise [Holdup::Error]
    def boot(warm_up_s:)
      env = {**@shape.env, **own_env}
      @server = Holdup::Lab::ServerUnderTest.new(@shape.command, arm: @arm.with(extra: env), env: ENV.to_h,
        root: @shape.root, **@folders)
      @server.boot(@shape.routes.first)
      @intake = Holdup::Lab::InMemoryStore.new(@folders.fetch(:segments))
      with_jobs { session(WARM_UP).warm_up(warm_rate, longest_s: warm_up_s) }
      self
    end

    # @param pattern [OpenPattern]
    # @return [OpenTurn]
    # @raise [Holdup::Error] an answer was not as it should be
    def turn(pattern, rate:, seconds:, seed:)
      result, span, beside = measured(pattern, rate:, seconds:, seed:)
      requests = requests(result)
      responses = requests.map { |unit| unit.wall_ns + unit.queued_ns.to_i }.sort
      OpenTurn.new(responses:, rate:, seconds:, seed:, span:, beside:,
        held_ns: requests.sum(&:running_ns).fdiv(requests.size))
    end

    # @return [OpenRecording]
    # @raise [Holdup::Error]
    def record(pattern, rate:, seconds:, seed:)
      idle_beside = idle_beside()
      result, span, beside = measured(pattern, rate:, seconds:, seed:)
      OpenRecording.new(windows: result.windows, unit_samples: result.unit_samples, samples: result.samples,
        rate:, seconds:, span:, beside:, idle_beside:)
    end

    # @return [Float] requests per second that its setting is not too small for
    def warm_rate
      fitting = WARM_SHARE * @arm.threads / (@shape.wall_ms / 1e3)
      @arm.processes * [fitting, WARM_RATE].min
    end

    # @return [void]
    def stop = @server&.stop

    private

    # The storefront reads variables of its own.
    def own_env
      {"STOREFRONT_WORKERS" => @arm.processes.to_s, "STOREFRONT_THREADS" => @arm.threads.to_s,
       "OPEN_QUEUE" => @queue}
    end

    # @return [Array] Holdup::Lab::Trial::TrialResult, its span, CPUs of everything else
    def measured(pattern, rate:, seconds:, seed:)
      from_s = now_s
      busy_s = Cores.busy_s
      result = with_jobs { session(pattern).measure(rate:, seconds:, seed:) }
      to_s = now_s
      refuse(result) if result.seen.total.unexpected.positive?
      [result, from_s..to_s, (Cores.busy_s - busy_s - result.cpu_s) / (to_s - from_s)]
    end

    def idle_beside
      from_s = now_s
      busy_s = Cores.busy_s
      IO.select(nil, nil, nil, IDLE_S)
      (Cores.busy_s - busy_s) / (now_s - from_s)
    end

    def refuse(result)
      total = result.seen.total
      raise Holdup::Error.new("#{total.unexpected} of #{total.count} requests failed", @server.said)
    end

    def requests(result)
      result.unit_samples.select { |unit| unit.series.kind == :request }
    end

    def session(load)
      Holdup::Lab::Trial::Session.new(arm: @arm, served: @server, intake: @intake, routes: @shape.routes,
        load:, progress: ->(*, **) {})
    end

    def with_jobs(&)
      return yield unless @shape.jobs
      OpenShapes::PushedJobs.during(@shape.jobs, @queue, &)
    end

    def now_s = Process.clock_gettime(Process::CLOCK_REALTIME)
  end
end
