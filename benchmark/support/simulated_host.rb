# frozen_string_literal: true

require "holdup/loader"

module Bench
  # What the collector of one host commits: 16 processes that serve a hundred endpoints, 30 requests a second
  # each. Windows, checkpoints and samples have the size of real ones, and are of the same requests; the same
  # few are written again and again, because drawing them would take longer than to store them.
  class SimulatedHost
    NS = 1_000_000_000
    PROCESSES = 16
    SERIES = 100
    RATE = 30
    # Different windows of each endpoint: the rows of a minute have buckets of several.
    VARIANTS = 6
    # Of the ten minutes' sample, for each minute.
    UNIT_SAMPLES = 48
    SETTING = Holdup::Setting.new(attributes: {
      "app" => "shop", "ruby" => "3.4.5", "engine" => "ruby", "server" => "puma", "threads" => 5,
      "workers" => PROCESSES, "vcpus" => 16
    })
    HISTOGRAMS = Holdup::Window::HISTOGRAMS
    private_constant :HISTOGRAMS

    # @param index [Integer] number of the host
    # @param since_s [Integer] start of its processes
    def initialize(index, since_s:)
      @name = "web-#{index}"
      @index = index
      @since_s = since_s
      @id = format("%016x", index)
      @scope = "#{@id} segments/"
      @token = nil
      @commits = 0
    end

    # What one commit has, for Store#commit.
    # @param from_s [Integer] begin of what it measured
    # @param seconds [Integer] how long it measured
    # @return [Array(Array<Holdup::Window>, Hash, Hash)] windows, checkpoints, and the keywords
    def commit(from_s, seconds)
      @commits += 1
      token = "1 #{@commits}"
      collector_checkpoint = Holdup::CollectorCheckpoint.new(host: @name,
        folder: Holdup::CollectorCheckpoint.folder("/dev/shm/holdup-1000", @id),
        at_ns: (from_s + seconds) * NS, units: segments.to_h { |name| [name, @commits * RATE * seconds] })
      samples = (from_s % 60).zero? ? samples(from_s) : []
      rows = {processes: samples, unit_samples: [block(from_s, drawn(seconds))], collector_checkpoint:,
              expected: {"#{@scope}#token" => @token}}
      [windows(from_s, drawn(seconds)), {**checkpoints, "#{@scope}#token" => token}, rows]
    end

    # Once the store has it.
    def committed
      @token = "1 #{@commits}"
    end

    # Requests of all processes of a host over some seconds, as a replay serves them. Shared by all hosts,
    # because it takes long.
    class PlayedHost
      MS = 1_000_000
      # Mean times with the GVL and without needing it.
      HELD_MS = 6
      IDLE_MS = 12
      ACQUISITIONS = 10
      THREADS = SETTING["threads"]
      Sizing = Holdup::Advise::Sizing
      # `found`: how many requests its process had at its start; `rest_ns`: how long it had none before;
      # `in_flight`: on average while it ran
      PlayedRequest = Data.define(:series, :process, :start_ns, :queued, :running, :stalled, :idle, :found,
        :rest_ns, :in_flight) do
        def wall = running + stalled + idle

        def longest_hold = running / 2

        def end_ns = start_ns + wall
      end
      private_constant :MS, :HELD_MS, :IDLE_MS, :ACQUISITIONS, :THREADS, :Sizing

      # @param variant [Integer]
      # @return [PlayedHost] the same each time
      def self.of(variant, seconds)
        @all ||= {}
        @all[[variant, seconds]] ||= new(Random.new(variant), seconds)
      end

      # @return [String] the units of a process's checkpoint
      def self.checkpoint
        @checkpoint ||= begin
          checkpoint = Holdup::Collector::SegmentCheckpoint::SlotCheckpoint
          slots = of(0, 10).windows.first(SERIES).map { |one| checkpoint.of(slot(one)) }
          checkpoint = Holdup::Collector::SegmentCheckpoint.start(1).with(slots:)
          Holdup::Collector::SegmentCheckpoint::Codec.dump_units(checkpoint)
        end
      end

      def self.slot(window)
        cells = HISTOGRAMS.map do |name|
          one = window.histograms[name]
          Holdup::Segment::HistogramCells.new(one.count, one.sum, one.min, one.max, one.zero, one.offset,
            one.counts)
        end
        sums = window.sums.values_at(*Holdup::Segment::Layout::SUMS)
        Holdup::Segment::Slot.new(window.series, window.count, 0, sums, cells, nil)
      end
      private_class_method :slot

      # Of all endpoints, processes, and the hand-off.
      # @return [Array<Holdup::Window>]
      attr_reader :windows

      # @return [Array<Holdup::UnitSample>] some of the requests, from second 0 on
      attr_reader :unit_samples

      attr_reader :requests

      def initialize(random, seconds)
        units = drawn_units(random, seconds)
        played = Sizing::Replay.call(Sizing::Trace.new(units), scenario)
        all = served(units, played, random)
        @requests = all.size
        @windows = windows_of(all, played.handed_ns)
        @unit_samples = all.sample(UNIT_SAMPLES * seconds / 60, random:).map { |one| unit_sample(one) }
      end

      private

      # Arrivals that don't depend on each other. A group for each process, so that every request has a known
      # one.
      def drawn_units(random, seconds)
        around = ->(ms) { (ms * MS * Math.exp(random.rand(-1.5..1.5))).to_i }
        units = Array.new(RATE * PROCESSES * seconds) do
          Sizing::Trace::TraceUnit.new(arrival_ns: random.rand(seconds * NS), held_ns: around.call(HELD_MS),
            idle_ns: around.call(IDLE_MS), acquisitions: ACQUISITIONS, group: random.rand(PROCESSES))
        end
        units.sort_by(&:arrival_ns)
      end

      def scenario
        groups = Array.new(PROCESSES) { Sizing::Scenario::ProcessGroup.new(processes: 1, threads: THREADS) }
        Sizing::Scenario.new(groups:, vcpus: SETTING["vcpus"])
      end

      def served(units, played, random)
        columns = %i[queued stalled held response].map { |which| played.column(which) }
        all = units.zip(*columns).map do |unit, queued, stalled, running, response|
          PlayedRequest.new(series: random.rand(SERIES), process: unit.group,
            start_ns: unit.arrival_ns + queued, queued:, running:, stalled:,
            idle: response - queued - stalled - running, found: nil, rest_ns: nil, in_flight: nil)
        end
        all.group_by(&:process).values.flat_map { |own| side_by_side(own) }
      end

      # What each found in its process.
      # @param own [Array<PlayedRequest>] all of one process
      def side_by_side(own)
        by_start = own.sort_by(&:start_ns)
        ended_ns = 0
        there = []
        by_start.map.with_index do |one, index|
          gone, there = there.partition { |other| other.end_ns <= one.start_ns }
          ended_ns = [ended_ns, *gone.map(&:end_ns)].max
          found = there.size
          rest_ns = found.zero? ? one.start_ns - ended_ns : 0
          later = by_start.drop(index + 1).take_while { |other| other.start_ns < one.end_ns }
          in_flight = 1 + (there + later).sum { |other| common_ns(one, other) }.fdiv(one.wall)
          there << one
          one.with(found:, rest_ns:, in_flight:)
        end
      end

      def common_ns(one, other)
        [one.end_ns, other.end_ns].min - [one.start_ns, other.start_ns].max
      end

      def windows_of(all, handed_ns)
        caused = all.sum(&:stalled) - handed_ns
        share = caused.fdiv(all.sum(&:running))
        endpoints = all.group_by(&:series).sort.map { |index, same| window(endpoint(index), same, share) }
        processes = all.group_by(&:process).sort.map do |process, same|
          window(Holdup::Series.new(kind: :process, name: "worker #{process}"), same, share)
        end
        [*endpoints, *processes, handoff(caused: all.sum(&:stalled) - endpoints.sum(&:caused_ns))]
      end

      def endpoint(index) = Holdup::Series.new(kind: :request, name: "Controller#{index}#action")

      # @param share [Float] of what a request held the GVL, in which others waited
      def window(series, same, share)
        histograms = HISTOGRAMS.to_h { |name| [name, Holdup::Histogram.of(same.map(&name))] }
        ns = histograms.transform_values(&:sum)
        sums = {cpu_ns: ns[:running], io_ns: ns[:idle], caused_ns: (ns[:running] * share).to_i,
                acquisitions: same.size * ACQUISITIONS}
        empty = empty(series)
        empty.with(count: same.size, histograms:, sums: empty.sums.merge(sums))
      end

      # What nobody held the GVL in, while others waited.
      def handoff(caused:)
        empty = empty(Holdup::Series::HANDOFF)
        empty.with(sums: empty.sums.merge(caused_ns: caused))
      end

      def empty(series)
        Holdup::Window.empty(series:, setting: SETTING, host: "web", start_s: 0, seconds: 60)
      end

      def unit_sample(one)
        Holdup::UnitSample.new(series: endpoint(one.series), setting: SETTING, host: "web",
          process: Holdup::UnitSample::SampledProcess.new(pid: 100 + one.process, since_ns: 0),
          start_ns: one.start_ns.round(-3), running_ns: one.running.round(-3), cpu_ns: one.running.round(-3),
          idle_ns: one.idle.round(-3), stalled_ns: one.stalled.round(-3), acquisitions: ACQUISITIONS,
          longest_hold_ns: one.longest_hold.round(-3), gc_ns: 0, queued_ns: one.queued.round(-3),
          in_flight_milli: (one.in_flight * 1000).round, weight: 1.0, concurrency: one.found,
          rest_ns: one.rest_ns.round(-3))
      end
    end

    private

    def drawn(seconds)
      PlayedHost.of((@commits + @index) % VARIANTS, seconds)
    end

    def windows(from_s, played)
      start_s = from_s - from_s % 60
      played.windows.map { |window| window.with(start_s:, host: @name) }
    end

    def segments
      @segments ||= Array.new(PROCESSES) { |process| "#{100 + process}-#{@since_s}.segment" }
    end

    def checkpoints
      head = "#{@commits}#{"h" * 200}"
      segments.flat_map { |name|
        [["#{@scope}#{name}", head], ["#{@scope}#{name}#units", PlayedHost.checkpoint]]
      }.to_h
    end

    def samples(at_s)
      Array.new(PROCESSES) do |process|
        {at_s:, host: @name, pid: 100 + process, start: 1, since_s: @since_s, name: "worker #{process}",
         server: "puma", setting: SETTING.fingerprint, cpu_ns: (at_s - @since_s) * NS / 3, run_delay_ns: 0,
         rss_bytes: 300_000_000, pss_bytes: 200_000_000, uss_bytes: 150_000_000, "pool.0": "web",
         "pool.0.max": 5, "pool.0.busy": 2, "pool.0.backlog": 0}
      end
    end

    def block(from_s, played)
      start_s = from_s / Holdup::SampleBlock::SECONDS * Holdup::SampleBlock::SECONDS
      since_ns = @since_s * NS
      unit_samples = played.unit_samples.map do |one|
        one.with(host: @name, start_ns: from_s * NS + one.start_ns, process: one.process.with(since_ns:))
      end
      Holdup::SampleBlock.new(setting: SETTING, host: @name, start_s:, seen: played.requests, unit_samples:)
    end
  end
end
