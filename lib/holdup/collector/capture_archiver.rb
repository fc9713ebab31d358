# frozen_string_literal: true

module Holdup
  class Collector
    # Takes the captures that processes have left in memory, says in them what they caught, and packs them
    # into the folder of those that are kept. An incident catches units in all workers: of what rules leave,
    # one is kept in the time that a rule wants between two.
    class CaptureArchiver
      NS = 1_000_000_000

      # @param archive [Capture::Archive]
      # @param dir [String] folder of the segments
      # @param warnings [RateLimitedLog]
      # @param clock [Clock]
      def initialize(archive:, dir:, warnings:, clock:)
        @archive = archive
        @dir = dir
        @warnings = warnings
        @clock = clock
      end

      # @return [void]
      def call
        orphans.each { |path| take(path) }
        left.each { |path| take(path) }
      end

      private

      def left
        beside(Capture::RuleWatch::ENDED, Capture::Controller::LEFT)
      end

      def beside(*suffixes)
        Segment::Directory.new(@dir).files_with_suffix(*suffixes)
      end

      # What went on when its process was killed: it has no segment any more. Who asked and waits takes the
      # file.
      def orphans
        paths = beside(Capture::RuleWatch::ARMED, Capture::Controller::SUFFIX)
        paths.reject { |path|
          File.exist?("#{path.delete_suffix(File.extname(path))}.segment") || (path.end_with?(Capture::Controller::SUFFIX) && attended?(path))
        }
      end

      def attended?(path)
        head(path).facts["trigger"] != "dashboard"
      rescue
        true
      end

      def head(path)
        Capture::Header.parse(File.binread(path, Capture::Layout::HEADER_BYTES).to_s, path:)
      end

      # What can't be kept is no reason to fill the memory, and nobody's fault but its own.
      def take(path)
        header = head(path)
        keep(path, header) if wanted?(path, header)
      rescue => error # whatever it is, it is in the file: that goes, and the others stay
        @warnings.again(:capture, "a capture can't be kept: #{error.message}")
      ensure
        File.unlink(path) if File.exist?(path)
      end

      def wanted?(path, header)
        return false if path.end_with?(Capture::RuleWatch::ARMED) && header.caught.zero?
        return true unless header.facts["trigger"] == "rule"
        rested?(header.facts["every_s"]).tap { |rested| @kept_ns = @clock.monotonic_ns if rested }
      end

      def rested?(every_s)
        @kept_ns.nil? || @clock.monotonic_ns - @kept_ns >= every_s.to_i * NS
      end

      # Playing events again is loaded by the first one.
      def keep(path, header)
        bytes = File.binread(path, header.events_bytes)
        @archive.add(Capture::Reason.add(bytes, Analysis::Timeline::CaptureMatches.facts(bytes)),
          Time.at(@clock.realtime_s))
      end
    end
  end
end
