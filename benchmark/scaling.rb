# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"

module Bench
  # A day of traffic with an autoscaler that follows CPU % and with one that follows the load ratio: what each
  # costs, and for how long the SLO is missed. Simulated minute by minute, with the same rules for both.
  class Scaling
    SIZING = Holdup::Advise::Sizing
    MS = 1_000_000
    MINUTES = 1440
    # Processes x threads on vCPUs; ms of holding the GVL and of waiting for io, acquisitions; SLO of p95 in
    # ms.
    SERVICES = {
      "1 process x 5 threads, 2 vCPUs, io 50 %" => {shape: [1, 5, 2], request: [20, 20, 8], slo_ms: 250},
      "2 processes x 5 threads, 2 vCPUs, io 50 %" => {shape: [2, 5, 2], request: [20, 20, 8], slo_ms: 250},
      "2 processes x 5 threads, 2 vCPUs, io 90 %" => {shape: [2, 5, 2], request: [20, 180, 8], slo_ms: 900}
    }.freeze
    # Of the highest throughput of one instance, at the peak of the day.
    PEAK = 10.0
    CPU_TARGETS = [0.35, 0.5, 0.7].freeze
    RATIO_TARGET = 0.7
    COLUMNS = ["scaled on", "instance hours", "minutes over the SLO", "most instances", "mean CPU, %"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @units = quick ? 1_500 : 10_000
    end

    # @return [Result]
    def call
      days = SERVICES.to_h { |name, facts| [name, day(facts)] }
      tables = days.map { |name, day| table(name, day) }
      Result.new(title: "A day with an autoscaler, simulated", about:, tables:, notes: notes(days))
    end

    private

    def day(facts)
      instance = Instance.new(**facts, units: @units)
      SimulatedDay.new(instance, DayTraffic.new(peak: PEAK * instance.ceiling).to_a)
    end

    def table(name, day)
      cpu = CPU_TARGETS.map { |target| ["CPU, #{(target * 100).round} %", day.call(target, :cpu)] }
      rows = [*cpu, ["load ratio, #{RATIO_TARGET}", day.call(RATIO_TARGET, :ratio)]]
      ResultTable.new([name, *COLUMNS.drop(1)], rows.map { |policy, outcome| [policy, *outcome.cells] })
    end

    def about
      "#{MINUTES} minutes of traffic that rises to six times the night's, with five minutes of twice as " \
        "much at 15:00 and 5 % noise from minute to minute; at its peak it is what #{PEAK.round} instances " \
        "serve at most. The autoscalers differ only in their metric: each minute they want " \
        "ceil(instances x metric / target) instances, within 10 % they change nothing, a new instance " \
        "serves after two minutes, and fewer are wanted only when that was so for ten minutes; at least " \
        "two. Response times and CPU come from replays of #{@units} random requests; what an overloaded " \
        "minute leaves is served in the next ones. The capacity is that of a replay of other random " \
        "requests, by `holdup scale`'s rule."
    end

    def notes(days)
      days.map do |name, day|
        instance = day.instance
        ceiling, capacity = [instance.ceiling, instance.capacity].map { |rate| format("%.1f", rate) }
        "#{name}: SLO p95 #{instance.slo_ms} ms; an instance serves #{ceiling}/s at most, where " \
          "#{(instance.cpu(instance.ceiling) * 100).round} % of its CPUs are in use, and #{capacity}/s " \
          "at the SLO."
      end
    end

    # Response times and CPU of one instance at any rate, from replays at some.
    class Instance
      STEPS = 24
      # Close to the ceiling a queue's length is chance and time.
      FULL = 0.98

      attr_reader :slo_ms, :ceiling, :capacity

      # @param shape [Array<Integer>] processes, threads, vCPUs
      # @param request [Array<Numeric>] ms held, ms idle, acquisitions
      def initialize(shape:, request:, slo_ms:, units:)
        processes, threads, @vcpus = shape
        @scenario = SIZING::Scenario.of(processes:, threads:, vcpus: @vcpus, assignment: :least_busy)
        @request = request
        @slo_ms = slo_ms
        @units = units
        @ceiling = SIZING::Replay.call(trace(1.0, 1).backlog, @scenario.with(assignment: :shared)).throughput
        @points = (1..STEPS).map { |step| point(@ceiling * FULL * step / STEPS) }
        @capacity = at_slo
      end

      # @return [Float] ms
      def p95_ms(rate) = interpolated(rate, 1)

      # @return [Float] share of the vCPUs
      def cpu(rate) = interpolated(rate, 2)

      private

      def point(rate, seed: 1)
        played = SIZING::Replay.call(trace(rate, seed), @scenario)
        responses = played.column(:response).sort
        [rate, responses[(responses.size * 0.95).floor] / MS.to_f, played.cpus / @vcpus]
      end

      def trace(rate, seed)
        random = Random.new(seed)
        held_ms, idle_ms, acquisitions = @request
        at_ns = 0
        SIZING::Trace.new(Array.new(@units) do
          at_ns += exponential(random, 1000.0 / rate)
          SIZING::Trace::TraceUnit.new(arrival_ns: at_ns, held_ns: exponential(random, held_ms),
            idle_ns: exponential(random, idle_ms), acquisitions:)
        end)
      end

      def exponential(random, mean_ms)
        (-Math.log(1 - random.rand) * mean_ms * MS).round
      end

      # As Holdup::Advise::Sizing::Slo::CapacityAtSlo finds it, of requests that the day does not have.
      def at_slo
        low = 0.0
        high = @ceiling
        SIZING::Slo::CapacityAtSlo::STEPS.times do
          middle = (low + high) / 2
          (point(middle, seed: 2)[1] <= @slo_ms) ? low = middle : high = middle
        end
        low
      end

      def interpolated(rate, column)
        least = @points.first
        return (column == 1) ? least[column] : least[column] * rate / least[0] if rate <= least[0]
        after = @points.index { |point| point[0] >= rate } or return @points.last[column]
        before, after = @points[after - 1], @points[after]
        share = (rate - before[0]) / (after[0] - before[0])
        before[column] + share * (after[column] - before[column])
      end
    end

    # Requests per second of each minute.
    class DayTraffic
      NIGHT = 1 / 6.0
      BURST = (900...905)
      NOISE = 0.05

      def initialize(peak:, seed: 3)
        @peak = peak
        @random = Random.new(seed)
      end

      def to_a
        shapes = Array.new(MINUTES) { |minute| shape(minute) }
        shapes.map { |shape| @peak * shape / shapes.max }
      end

      private

      # Least at four in the morning, most at eight in the evening.
      def shape(minute)
        hour = minute / 60.0
        day = (hour - 4) % 24
        wave = (day < 16) ? -Math.cos(Math::PI * day / 16) : Math.cos(Math::PI * (day - 16) / 8)
        level = (1 + wave) / 2
        noise = 1 + NOISE * Math.sqrt(-2 * Math.log(1 - @random.rand)) * Math.cos(2 * Math::PI * @random.rand)
        (NIGHT + (1 - NIGHT) * level) * noise * (BURST.cover?(minute) ? 2 : 1)
      end
    end

    # What a policy came to.
    DayOutcome = Data.define(:instance_minutes, :over, :most, :cpu) do
      def cells
        [format("%.0f", instance_minutes / 60.0), over.to_s, most.to_s, format("%.0f", cpu * 100)]
      end
    end

    # The day of one service under one policy after the other.
    class SimulatedDay
      LEAST = 2
      MOST = 60
      TOLERANCE = 0.1
      BOOT = 2
      DOWN = 10

      attr_reader :instance

      def initialize(instance, traffic)
        @instance = instance
        @traffic = traffic
      end

      # @param metric [Symbol] :cpu or :ratio
      # @return [DayOutcome]
      def call(target, metric)
        @booting = []
        @wanted = []
        @left = 0.0
        @count = [(@traffic.first / @instance.capacity).ceil, LEAST].max
        minutes = @traffic.each_with_index.map { |rate, at| minute(rate, at, target, metric) }
        DayOutcome.new(instance_minutes: minutes.sum(&:first), most: minutes.map(&:first).max,
          over: minutes.count { |_, p95_ms, _| p95_ms > @instance.slo_ms },
          cpu: minutes.sum(&:last) / minutes.size)
      end

      private

      # @return [Array(Integer, Float, Float)] instances that are paid for, p95 in ms, CPU
      def minute(rate, at, target, metric)
        @count += @booting.count { |ready_at| ready_at == at }
        @booting.reject! { |ready_at| ready_at <= at }
        served, p95_ms = serve(rate)
        paid = @count + @booting.size
        scale(at, target, (metric == :cpu) ? @instance.cpu(served) : served / @instance.capacity)
        [paid, p95_ms, @instance.cpu(served)]
      end

      # @return [Array(Float, Float)] rate of one instance, p95 in ms
      def serve(rate)
        most = @count * @instance.ceiling
        offered = rate + @left / 60
        waiting_ms = @left / most * 1000
        @left = [(offered - most) * 60, 0.0].max
        served = [offered, most].min / @count
        [served, @instance.p95_ms(served) + waiting_ms + @left / most * 1000]
      end

      def scale(at, target, metric)
        ratio = metric / target
        wanted = ((ratio - 1).abs <= TOLERANCE) ? @count : (@count * ratio).ceil
        @wanted = (@wanted << wanted.clamp(LEAST, MOST)).last(DOWN)
        all = @count + @booting.size
        up = @wanted.last - all
        return Array.new(up) { @booting << at + BOOT } if up.positive?
        @count -= [all - @wanted.max, @count - LEAST].min if @wanted.size == DOWN && @wanted.max < all
      end
    end
  end
end
