# frozen_string_literal: true

module Holdup
  module Captures
    # Asks one or all measured processes of this host to record every GVL event for some seconds, and saves
    # the files. Without a choice it is the process that stalls most.
    class Command
      SECONDS = (1..60)
      DEFAULT_S = 10
      DEFAULT_UNTIL_S = 60
      # A process checks once a tick, and a tick takes 5 s at most.
      PATIENCE_S = 8
      LOOK_S = 0.1

      extend CLI::CommandArguments

      # The condition that ends a capture.
      RuleType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          Holdup::Capture::Trigger.parse(text) ||
            raise(UsageError.new("#{option} can't be #{text[0, 100].inspect}",
              "it takes \"stall > 50 ms\" or \"wall > 2 s\""))
        end
      end

      OPTIONS = CLI::Options.new("holdup capture [options]", [
        Queries::Option.whole("--seconds N", Holdup::Capture::Request::SECONDS,
          "for how long (#{DEFAULT_S}), up to 60"),
        Queries::Option.declare("--until RULE", RuleType.new,
          "keep what led to the first request or job with",
          "\"stall > 50 ms\" or \"wall > 2 s\" (--seconds to 3600)", key: :rule),
        Queries::Option.whole("--pid PID", 1..2**31,
          "this process; else the one that waits most for the GVL"),
        Queries::Option.switch("--all", "every process that measures on this host"),
        Queries::Option.text("--out DIR", "folder of the files (captures, next to the store)"),
        CLI::Options::DIR,
        CLI::Options::STORE,
        CLI::Options::LANGUAGE
      ])

      # @param rule [Holdup::Capture::Trigger, nil] the condition that ends the capture
      # @param seconds [Integer] in SECONDS; with a rule, up to an hour
      # @param out [String, nil] folder
      # @raise [UsageError]
      def initialize(console:, rule: nil, seconds: rule ? DEFAULT_UNTIL_S : DEFAULT_S, pid: nil, all: false,
        out: nil, dir: nil, store: nil, language: nil)
        raise UsageError.new("--pid and --all contradict each other", "give one of them") if pid && all
        unless rule || SECONDS.cover?(seconds)
          raise UsageError.new("--seconds can't be #{seconds}",
            "without --until it takes #{SECONDS.min} to #{SECONDS.max}")
        end
        @console = console
        @seconds = seconds
        @rule = rule
        @pid = pid
        @all = all
        @dir = CLI::Places.directory(console.env, dir)
        @archive = out ? Holdup::Capture::Archive.new(CLI::Places.path(out)) : CLI::Places.archive(
          console.env, store
        )
        @report = SavedCaptures.new(console, language || CLI::Places.language(console.env))
      end

      # @return [Integer] exit status: 1 when a process made no capture
      # @raise [Error, UsageError] no process can be captured
      def run
        check_folder
        asked = ask(chosen)
        begun = await(asked, PATIENCE_S, &:begun?)
        @report.silent(asked - begun)
        ended = begun.empty? ? [] : await(begun, @seconds + PATIENCE_S, &:ended?)
        @console.clear
        begun.each { |asking| keep(asking, ended.include?(asking)) }
        (ended.size == asked.size && caught?) ? CLI::OK : CLI::FAILED
      end

      private

      # Before anything is captured that could not be kept. The folder is made with the first file in it.
      def check_folder
        folder = @archive.dir
        folder = File.dirname(folder) until File.exist?(folder)
        raise Errno::ENOTDIR unless File.directory?(folder)
        raise Errno::EACCES unless File.writable?(folder)
      rescue SystemCallError => error
        not_kept(error)
      end

      def not_kept(error)
        raise Error.new("the capture can't be kept (#{error.message})", "name another folder with --out")
      end

      def ask(entries)
        request = Holdup::Capture::Request.new(asked_ms: @console.clock.realtime_ns / 1_000_000,
          seconds: @seconds)
        entries.map { |entry| Holdup::Capture::Client.new(entry, request, @rule).ask }
      rescue SystemCallError => error
        raise Error.new("a process can't be asked (#{error.message})", "run it as the application's user")
      end

      def chosen
        entries = alive
        if entries.empty?
          raise Error.new("no process measures in #{@dir}",
            "`holdup doctor` says why; --dir names another folder")
        end
        return entries if @all
        return named(entries) if @pid
        return entries if entries.size == 1
        [most_stalled(entries)]
      end

      def most_stalled(entries)
        entry = MostStalled.of(entries) { sleep(MostStalled::SECONDS) }
        @report.chosen(entry.pid, entries.size)
        entry
      end

      def alive
        Holdup::Capture::Client.processes(@dir)
      rescue Errno::ENOENT
        []
      rescue SystemCallError => error
        raise Error.new("the segments in #{@dir} can't be read (#{error.message})",
          "run it as the application's user")
      end

      def named(entries)
        found = entries.select { |entry| entry.pid == @pid }
        return found if found.any?
        raise UsageError.new("process #{@pid} measures nothing in #{@dir}",
          "those that do: #{entries.map(&:pid).join(", ")}")
      end

      # @return [Array<Asking>] those for which the block became true in time
      def await(askings, seconds, &condition)
        deadline = @console.clock.monotonic_ns + (seconds * 1_000_000_000)
        waiting = askings
        until (waiting = waiting.reject(&condition)).empty? || @console.clock.monotonic_ns > deadline
          @report.waiting(waiting.size, @seconds)
          sleep(LOOK_S)
        end
        askings - waiting
      end

      # With a rule, it is enough that one process catches a request or job.
      def caught?
        return true if @rule.nil? || @caught
        @report.uncaught(@seconds)
        false
      end

      def keep(asking, ended)
        bytes = asking.take
        Holdup::Capture::Reason.add(bytes, Timeline::CaptureMatches.facts(bytes))
        path = @archive.add(bytes, Time.at(@console.clock.realtime_s))
        recording = Holdup::Capture::EventLog.parse(bytes, path:)
        @caught ||= recording.header.caught.positive?
        @report.kept(path, recording, ended)
      rescue SystemCallError => error
        not_kept(error)
      end

      # Prints what `holdup capture` waits for and which files it saved.
      class SavedCaptures
        def initialize(console, language)
          @console = console
          @words = View::Words.new(language)
        end

        # Prints on a terminal only: a pipe would get one line for each finished process.
        def waiting(count, seconds)
          @console.pass(@words.call(:capture_waiting, count:, seconds:)) if @console.err.tty?
        end

        # @param count [Integer] of processes that measure
        def chosen(pid, count)
          @console.err.puts("holdup: #{@words.call(:capture_chosen, pid:, count:)}")
        end

        # @param askings [Array<Holdup::Captures::Command::Asking>] of processes that did not begin
        def silent(askings)
          askings.each { |asking|
            @console.err.puts("holdup: #{@words.call(:capture_silent, pid: asking.entry.pid)}")
          }
        end

        def uncaught(seconds)
          @console.err.puts("holdup: #{@words.call(:capture_uncaught, seconds:)}")
        end

        # @param path [String] of the file
        # @param ended [Boolean] whether the process ended it
        def kept(path, recording, ended)
          header = recording.header
          @console.err.puts("holdup: #{@words.call(:capture_cut, pid: header.pid)}") unless ended
          @console.out.puts(sentence(recording))
          unit = " --unit caught" if header.caught.positive?
          @console.out.puts("  #{@words.call(:capture_next, path:)}#{unit}")
        end

        private

        def share(recording)
          View::Figures.share(recording.header.cost_ns.fdiv([recording.length_ns, 1].max))
        end

        def sentence(recording)
          header = recording.header
          @words.call(:capture_kept,
            process: header.process_name,
            events: View::Figures.count(header.head),
            lost: lost(header),
            length: View::Figures.duration(recording.length_ns),
            cost: View::Figures.duration(header.cost_ns),
            share: share(recording))
        end

        def lost(header)
          return "" unless header.overwritten.positive?
          @words.call(:capture_overwritten, count: View::Figures.count(header.overwritten))
        end
      end
    end
  end
end
