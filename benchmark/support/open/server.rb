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

    NS = 1_000_000_000
    # Without a load, what else runs on the machine is seen for so long.
    IDLE_S = 4
    WARM_UP = OpenPattern.new(arrivals: :poisson, kept: false)
    # Requests per second of a process at most, and the share of its threads that is busy.
    WARM_RATE = 40
    WARM_SHARE = 0.6

    # What the recorded setting did under a load, for predictions. `span`: seconds since 1970; `beside`: CPUs
    # of everything else, `idle_beside`: the same without any load
    OpenRecording = Data.define(:windows, :unit_samples, :samples, :rate, :seconds, :span, :beside,
      :idle_beside) do
      # One recording of parts, between which the server had other loads or none.
      # @param parts [Array<OpenRecording>] at the same rate
      def self.joined(parts) = parts.inject(&:followed_by)

      # As if the other part had begun at the end of this one. What was sampled of processes counts from their
      # start, also in between: it is that of the first part.
      # @param other [OpenRecording]
      # @return [OpenRecording]
      def followed_by(other)
        earlier_s = (other.span.begin - span.end).floor
        moved = other.earlier(earlier_s)
        with(windows: windows + moved.windows, unit_samples: unit_samples + moved.unit_samples,
          seconds: seconds + other.seconds, span: span.begin..moved.span.end,
          beside: (beside * seconds + other.beside * other.seconds) / (seconds + other.seconds))
      end

      # @param earlier_s [Integer]
      # @return [OpenRecording] as if it had begun so much earlier
      def earlier(earlier_s)
        minute_s = Holdup::MINUTE_S
        with(span: (span.begin - earlier_s)..(span.end - earlier_s),
          windows: windows.map { |one| one.with(start_s: (one.start_s - earlier_s) / minute_s * minute_s) },
          unit_samples: unit_samples.map { |one| one.with(start_ns: one.start_ns - earlier_s * NS) })
      end

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
    # @return [self] warm, or see #warm?
    # @raise [Holdup::Error]
    def boot(warm_up_s:)
      env = {**@shape.env, **own_env}
      @server = Holdup::Lab::ServerUnderTest.new(@shape.command, arm: @arm.with(extra: env), env: ENV.to_h,
        root: @shape.root, **@folders)
      @server.boot(@shape.routes.first)
      @intake = Holdup::Lab::InMemoryStore.new(@folders.fetch(:segments))
      with_jobs { @warmed = session(WARM_UP).warm_up(warm_rate, longest_s: warm_up_s).warmed }
      self
    end

    # Whether, at the end of its warm-up, requests took no less CPU time, and hardly any code was compiled.
    def warm? = @warmed.steady

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

    # @param idle_beside [Float] CPUs of everything else without a load
    # @return [OpenRecording]
    # @raise [Holdup::Error]
    def record(pattern, rate:, seconds:, seed:, idle_beside: idle_cpus)
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

    def idle_cpus
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
