# frozen_string_literal: true

require "holdup/loader"

module Bench
  # What the collector of one host commits: 16 processes that serve a hundred endpoints, 30 requests a second
  # each. Windows, checkpoints and samples have the size of real ones; the same few are written again and
  # again, because drawing them would take longer than to store them.
  class SimulatedHost
    NS = 1_000_000_000
    PROCESSES = 16
    SERIES = 100
    RATE = 30
    # Different windows of each endpoint: the rows of a minute have buckets of several.
    VARIANTS = 6
    # Of the ten minutes' sample, in each commit.
    PROFILES = 40
    MS = 1_000_000
    MEANS_MS = {wall: 20, running: 6, stalled: 2, idle: 12, queued: 0.4, longest_hold: 3}.freeze
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
    # @return [Array(Array<Holdup::Window>, Hash, Hash)] windows, progress, and the keywords
    def commit(from_s, seconds)
      @commits += 1
      token = "1 #{@commits}"
      state = Holdup::CollectionState.new(host: @name,
        folder: Holdup::CollectionState.folder("/dev/shm/holdup-1000", @id),
        at_ns: (from_s + seconds) * NS, units: segments.to_h { |name| [name, @commits * RATE * seconds] })
      samples = (from_s % 60).zero? ? samples(from_s) : []
      rows = {processes: samples, profiles: [block(from_s, seconds)], state:,
              expected: {"#{@scope}#token" => @token}}
      [windows(from_s, seconds), {**checkpoints, "#{@scope}#token" => token}, rows]
    end

    # Once the store has it.
    def committed
      @token = "1 #{@commits}"
    end

    # Shared by all hosts, because drawing takes long.
    module DrawnWindows
      module_function

      # @return [Array<Holdup::Window>] of all endpoints and processes
      def windows(variant, units)
        @windows ||= {}
        @windows[[variant, units]] ||= begin
          random = Random.new(variant)
          own = Array.new(SERIES) { |series| window(series, units, random) }
          [*own, *processes(own)]
        end
      end

      # @return [String] the units of a process's checkpoint
      def checkpoint
        @checkpoint ||= begin
          checkpoint = Holdup::Collector::SegmentCheckpoint::SlotCheckpoint
          marks = windows(0, 50).first(SERIES).map { |one| checkpoint.of(slot(one)) }
          position = Holdup::Collector::SegmentCheckpoint.start(1).with(marks:)
          Holdup::Collector::SegmentCheckpoint::Codec.dump_units(position)
        end
      end

      def window(index, units, random)
        histograms = MEANS_MS.transform_values do |ms|
          around = Array.new(units) { (ms * MS * Math.exp(random.rand(-1.5..1.5))).to_i }
          Holdup::Histogram.of(around)
        end
        ns = histograms.transform_values(&:sum)
        sums = {cpu_ns: ns[:running], io_ns: ns[:idle], caused_ns: ns[:stalled], acquisitions: units * 10}
        series = Holdup::Series.new(kind: :request, name: "Controller#{index}#action")
        empty = Holdup::Window.empty(series:, setting: SETTING, host: "web", start_s: 0, seconds: 60)
        empty.with(count: units, histograms:, sums: empty.sums.merge(sums))
      end

      # A sixteenth of the endpoints for each, which has as many requests.
      def processes(windows)
        windows.each_with_index.group_by { |_, index| index % PROCESSES }.map do |process, own|
          series = Holdup::Series.new(kind: :process, name: "worker #{process}")
          Holdup::Window.sum(own.map { |window, _| window.with(series:) })
        end
      end

      def slot(window)
        cells = HISTOGRAMS.map do |name|
          one = window.histograms[name]
          Holdup::Segment::HistogramCells.new(one.count, one.sum, one.min, one.max, one.zero, one.offset,
            one.counts)
        end
        sums = window.sums.values_at(*Holdup::Segment::Layout::SUMS)
        Holdup::Segment::Slot.new(window.series, window.count, 0, sums, cells, nil)
      end
    end

    private

    def windows(from_s, seconds)
      start_s = from_s - from_s % 60
      units = RATE * PROCESSES * seconds / SERIES
      drawn = DrawnWindows.windows((@commits + @index) % VARIANTS, units)
      drawn.map { |window| window.with(start_s:, host: @name) }
    end

    def segments
      @segments ||= Array.new(PROCESSES) { |process| "#{100 + process}-#{@since_s}.segment" }
    end

    def checkpoints
      head = "#{@commits}#{"h" * 200}"
      segments.flat_map { |name|
        [["#{@scope}#{name}", head], ["#{@scope}#{name}#units", DrawnWindows.checkpoint]]
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

    def block(from_s, seconds)
      random = Random.new(@commits * 1000 + @index)
      start_s = from_s / Holdup::SampleBlock::SECONDS * Holdup::SampleBlock::SECONDS
      profiles = Array.new(PROFILES) do
        profile(from_s * NS + (random.rand * seconds * 1_000_000).to_i * 1000, random)
      end
      Holdup::SampleBlock.new(setting: SETTING, host: @name, start_s:, seen: RATE * PROCESSES * seconds,
        profiles:)
    end

    def profile(start_ns, random)
      around = ->(name) { (MEANS_MS.fetch(name) * MS * Math.exp(random.rand(-1.5..1.5))).round(-3) }
      running_ns = around.call(:running)
      concurrency = random.rand(0..3)
      process = Holdup::UnitSample::SampledProcess.new(pid: 100 + random.rand(PROCESSES),
        since_ns: @since_s * NS)
      series = Holdup::Series.new(kind: :request, name: "Controller#{random.rand(SERIES)}#action")
      Holdup::UnitSample.new(series:, setting: SETTING, host: @name, process:, start_ns:, running_ns:,
        cpu_ns: running_ns, idle_ns: around.call(:idle), stalled_ns: around.call(:stalled),
        acquisitions: 10,
        longest_hold_ns: running_ns / 2, gc_ns: 0, queued_ns: around.call(:queued), in_flight_milli: 1500,
        weight: 1.0, concurrency:, rest_ns: concurrency.zero? ? around.call(:wall) : 0)
    end
  end
end
