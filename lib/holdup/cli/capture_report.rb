# frozen_string_literal: true

module Holdup
  class CLI
    # What `holdup capture` says while it waits, and of what it kept.
    class CaptureReport
      # @param console [Console]
      # @param language [String]
      def initialize(console, language)
        @console = console
        @words = View::Words.new(language)
      end

      # On a terminal: in a pipe the line would stay, once for each process that is done.
      # @return [void]
      def waiting(count, seconds)
        @console.pass(@words.call(:capture_waiting, count:, seconds:)) if @console.err.tty?
      end

      # @param askings [Array<Capture::Asking>] of processes that did not begin
      # @return [void]
      def silent(askings)
        askings.each { |asking|
          @console.err.puts("holdup: #{@words.call(:capture_silent, pid: asking.entry.pid)}")
        }
      end

      # @return [void]
      def uncaught(seconds)
        @console.err.puts("holdup: #{@words.call(:capture_uncaught, seconds:)}")
      end

      # @param path [String] of the file
      # @param recording [Capture::Recording]
      # @param ended [Boolean] whether the process ended it
      # @return [void]
      def kept(path, recording, ended)
        header = recording.header
        @console.err.puts("holdup: #{@words.call(:capture_cut, pid: header.pid)}") unless ended
        @console.out.puts(@words.call(:capture_kept, process: header.process_name, events: View::Figures.count(header.head), lost: lost(header),
          length: View::Figures.duration(recording.length_ns), cost: View::Figures.duration(header.cost_ns), share: share(recording)))
        @console.out.puts("  #{@words.call(:capture_next,
          path:)}#{" --unit caught" if header.caught.positive?}")
      end

      private

      def share(recording)
        View::Figures.share(recording.header.cost_ns.fdiv([recording.length_ns, 1].max))
      end

      def lost(header)
        header.overwritten.positive? ? @words.call(:capture_lost,
          count: View::Figures.count(header.overwritten)) : ""
      end
    end
  end
end
