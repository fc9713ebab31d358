# frozen_string_literal: true

module Holdup
  module Top
    # What the processes of this host do now, each second anew, from their segments.
    class Command
      CAPTURE_S = 10
      SECONDS = (1..60)
      # Outside of a terminal: for how long it looks before it prints.
      LOOK_S = 2
      # Columns of a pipe or file.
      PIPE_WIDTH = 120

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup top [options]", [
        CLI::Options::DIR,
        Queries::Option.whole("--seconds N", SECONDS, "in a pipe: for how long it looks before it",
          "prints (#{LOOK_S}), up to 60"),
        CLI::Options::LANGUAGE
      ])

      # @param dir [String, nil] folder of the segments
      # @param seconds [Integer] in SECONDS
      # @param input [IO] of the keys
      def initialize(console:, dir: nil, seconds: LOOK_S, language: nil, input: $stdin)
        @console = console
        @dir = CLI::Places.directory(console.env, dir)
        @seconds = seconds
        @input = input
        @words = View::Words.new(language || CLI::Places.language(console.env))
        host = Configuration.build(env: Configuration.readable(console.env)).host
        @host = View::Width.clean(Collector.host_name(host, console.env))
        @monitor = Holdup::Top::Reader.new(@dir, clock: console.clock)
        @state = Holdup::Top::ScreenState.new
      end

      # @raise [Error] outside of a terminal: no process measures
      def run
        (@input.tty? && @console.out.tty?) ? live : once
        CLI::OK
      end

      private

      def live
        @style = View::Drawing::Style.for(@console.out, @console.env)
        terminal = Holdup::Top::Terminal.new(@input, @console.out)
        terminal.take do
          look
          follow(terminal)
        end
      end

      def follow(terminal)
        loop do
          look if @console.clock.monotonic_ns >= @due_ns
          terminal.draw(frame.screen(*terminal.size))
          rest_ns = [@due_ns - @console.clock.monotonic_ns, 0].max
          asked = terminal.keys(rest_ns.fdiv(NS)).map { |key| @state.press(key, @state.rows(@tables)) }
          return if asked.include?(:quit)
          capture if asked.include?(:capture)
          terminal.suspend if asked.include?(:suspend)
        end
      end

      # Reads on while the picture stands still, so that the figures are right when it goes on.
      def look
        @due_ns = @console.clock.monotonic_ns + NS
        found = @monitor.look
        return if @state.paused?
        @tables = Holdup::Top::LiveTables.new(found)
        time = Time.at(@console.clock.realtime_s).strftime("%T")
        @title = "#{@words.call(:top_title)} #{@host} #{time}"
      end

      # Does not wait for the capture: the process ends it by itself, and the collector keeps it.
      def capture
        row = target
        return @state.message = @words.call(:top_nothing) unless row
        client = Holdup::Capture::BackgroundRequest.new(dir: @dir, clock: @console.clock)
        client.order(row.pid, seconds: CAPTURE_S)
        key = Segment::Directory.new(@dir).collected? ? :top_capturing : :top_capturing_alone
        @state.message = @words.call(key, process: row.name, pid: row.pid.to_s, seconds: CAPTURE_S.to_s)
      rescue Error => error
        @state.message = error.message
      end

      # The process of the chosen row, else the one with most stall.
      def target
        rows = @state.rows(@tables)
        chosen = @state.chosen(rows)
        return rows[chosen] if chosen && rows[chosen].pid
        @tables.rows(:processes, sort: :stalled).first
      end

      def frame
        Holdup::Top::ScreenFrame.new(@tables, @state, title: @title, words: @words, style: @style,
          trouble: @monitor.trouble)
      end

      # The figures are what happened between two readings.
      def once
        look
        sleep(@seconds) unless @tables.processes.empty?
        look
        if @tables.processes.empty?
          raise Error.new(@monitor.trouble || "no process measures in #{@dir}",
            "`holdup doctor` says why; --dir names another folder")
        end
        @style = View::Drawing::Style.none
        @console.out.puts(frame.plain(@console.columns || PIPE_WIDTH))
      end
    end
  end
end
