# frozen_string_literal: true

require_relative "stats_log/log_line"
require_relative "stats_log/process_reading"
require_relative "../model/quantities"

module Holdup
  # Log lines with this process's statistics: one per interval with what it did since the last one, and one at
  # each stage of its life (boot, enabled, warm, saturated, exit). Loaded only when `config.stats_log` asks
  # for it. Nothing waits for a log: a line that can't be written at once is dropped.
  class StatsLog
    # @param gauges [#call] gives {Symbol => Integer, nil} that the segment has no place for
    def self.build(options, probe:, log:, gauges:, clock:, sink: Sinks.for(options.to))
      segment = OwnSegment.new(probe)
      new(options,
        header: segment.method(:header),
        reading: -> { ProcessReading.take(segment, gauges: gauges.call, clock:) },
        writer: LogWriter.new(sink:, log:),
        schedule: Schedule.new(every_s: options.every, share: options.sample, clock:))
    end

    # @param header [#call] gives the Segment::Header of this process, nil without a segment; cheap
    # @param reading [#call] gives a ProcessReading; expensive
    def initialize(options, header:, reading:, writer:, schedule:)
      @options = options
      @header = header
      @reading = reading
      @writer = writer
      @schedule = schedule
      @stages = LifeStages.new
      @encoding = Encoding.for(options)
    end

    def tick
      header = @header.call
      return unless header && @options.chosen?(header)
      write_stages(@stages.newly_reached(header))
      write_interval("stats") if @schedule.due?
    end

    def close
      write_interval("exit") if @before
    end

    private

    # Lines of stages have no differences: each unit is in exactly one line, so lines can be summed.
    def write_stages(stages)
      return if stages.empty?
      now = @reading.call
      stages.each { |stage| write(stage, now, nil) }
      @before ||= now.with(totals: ProcessTotals.none)
    end

    def write_interval(event)
      now = @reading.call
      write(event, now, @before)
      @before = now
    end

    def write(event, now, before)
      line = LogLine.new(event, now, before, dropped: @writer.dropped)
      @writer.call(@encoding.call(line))
    end
  end

  class StatsLog
    # - `to`: :stdout, :stderr, a path, an IO or a Logger; `every`: seconds; `format`: :json or :emf
    # - `sample`: share of the lines that are written; `workers`: how many workers of a server write, nil: all
    # - `namespace`: of CloudWatch's metrics, for :emf
    LogOptions = Data.define(:to, :every, :format, :sample, :workers, :namespace) do
      def self.from(value)
        new(**(value.is_a?(Hash) ? value : {to: value}))
      end

      def initialize(to: :stdout, every: 60, format: :json, sample: 1.0, workers: nil, namespace: "Holdup")
        super
      end

      # A fork without a worker index yet may become any worker.
      def chosen?(header)
        return true unless workers
        header.worker_index.negative? ? header.generation.zero? : header.worker_index < workers
      end
    end

    # Lines are due once an interval, a tenth earlier or later at random, and first after a random part of it,
    # so that a host's processes don't all write at once. Idle processes write too.
    class Schedule
      JITTER = 0.1

      # @param share [Numeric] of lines that are written
      # @param random [#rand] does not advance the application's random sequence
      def initialize(every_s:, share:, clock:, random: Random.new)
        @every_ns = every_s * NS
        @share = share
        @clock = clock
        @random = random
        wait(@random.rand)
      end

      # Whether to write a line now; if so, sets the time of the next.
      def due?
        return false if @clock.monotonic_ns < @next_ns
        wait(1 - JITTER + 2 * JITTER * @random.rand)
        @random.rand < @share
      end

      private

      def wait(intervals)
        @next_ns = @clock.monotonic_ns + intervals * @every_ns
      end
    end

    # Stages of a process's life, each reported once: measuring began, the JIT was switched on, hardly
    # compiles any more, has no memory left.
    class LifeStages
      CONDITIONS = {
        "boot" => ->(_gauges) { true },
        "enabled" => ->(gauges) { gauges[:jit_enabled] == 1 },
        "warm" => ->(gauges) { gauges[:jit_warm_ns] },
        "saturated" => ->(gauges) { gauges[:jit_saturated] == 1 }
      }.freeze

      def initialize
        @reached = []
      end

      def newly_reached(header)
        ahead = CONDITIONS.except(*@reached)
        stages = ahead.select { |_, condition| condition.call(header.gauges) }.keys
        @reached += stages
        stages
      end
    end
  end

  class StatsLog
    # Each sink has `call(line)`: true when the line is written, false when there was no room.
    module Sinks
      def self.for(target)
        case target
        when :stdout then Stream.standard(1)
        when :stderr then Stream.standard(2)
        when String then Path.new(target)
        when IO then Stream.new(target)
        else Device.new(target)
        end
      end

      # The application's own logger or device, which may take as long as it likes.
      class Device
        def initialize(device)
          @device = device
        end

        def call(line)
          @device.respond_to?(:info) ? @device.info(line.chomp) : @device.write(line)
          true
        end
      end

      # A file or named pipe, opened for each line: logrotate may move it at any time, no process inherits it,
      # and one append keeps the lines of several processes apart.
      class Path
        FLAGS = File::WRONLY | File::APPEND | File::NONBLOCK | File::NOCTTY
        MODE = 0o640

        def initialize(path, flags: File::CREAT)
          @path = path
          @flags = FLAGS | flags
        end

        # @raise [SystemCallError]
        def call(line)
          File.open(@path, @flags, MODE) do |file|
            file.write_nonblock(line, exception: false) == line.bytesize
          end
        end
      end

      # An open stream, such as the standard output, shared with other processes. Making it non-blocking would
      # affect all of them, so a pipe or terminal is opened once more for us alone. Where that is impossible
      # (sockets, other systems), and for files, which never block, it is first asked for room.
      class Stream
        OWN = "/proc/self/fd"

        # @param number [Integer] 1 or 2: the process's own, whatever the application has put into $stdout
        def self.standard(number)
          new(IO.for_fd(number, "w", autoclose: false))
        end

        # @param own [String] folder that lists this process's open files
        def initialize(io, own: OWN)
          @io = io
          @own = own
        end

        # @raise [SystemCallError, IOError]
        def call(line)
          return write_with_room(line) unless reopens?
          Path.new("#{@own}/#{@io.fileno}", flags: 0).call(line)
        rescue Errno::ENXIO, Errno::EACCES # a pipe without a reader, or of another user
          write_with_room(line)
        end

        private

        def reopens?
          File.directory?(@own) && (@io.stat.pipe? || @io.stat.chardev?)
        end

        def write_with_room(line)
          return false unless IO.select(nil, [@io], nil, 0)
          IO.for_fd(@io.fileno, "w", autoclose: false).syswrite(line) == line.bytesize
        end
      end
    end

    # Drops and counts lines that the sink does not take at once; logs the sink's failure once.
    class LogWriter
      # Lines that were not written.
      attr_reader :dropped

      def initialize(sink:, log:)
        @sink = sink
        @log = log
        @dropped = 0
      end

      def call(line)
        @dropped += 1 unless @sink.call(line)
      rescue SystemCallError, IOError => error
        @dropped += 1
        warn_once(error)
      end

      private

      def warn_once(error)
        return if @warned
        @warned = true
        @log.warn("stats_log can't be written, its lines are dropped until it can: #{error.message}")
      end
    end
  end
end
