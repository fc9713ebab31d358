# frozen_string_literal: true

module Holdup
  class Collector
    # Takes the captures that processes left in memory, adds what they caught, and packs them into the folder
    # of kept captures. An incident triggers rules in all workers: each rule keeps one capture per interval.
    class CaptureArchiver
      NS = 1_000_000_000

      def initialize(archive:, dir:, warnings:, clock:)
        @archive = archive
        @dir = dir
        @warnings = warnings
        @clock = clock
      end

      # @return [String, nil] why the latest capture could not be kept
      attr_reader :problem

      def call
        orphans.each { |path| take(path) }
        left.each { |path| take(path) }
      end

      private

      def left
        files(Capture::RuleWatch::ENDED, Capture::Controller::LEFT)
      end

      def files(*suffixes)
        Segment::Directory.new(@dir).files_with_suffix(*suffixes)
      end

      # Captures whose process was killed: it has no segment any more. A waiting client takes its file itself.
      def orphans
        paths = files(Capture::RuleWatch::ARMED, Capture::Controller::SUFFIX)
        paths.reject { |path| segment?(path) || (requested?(path) && attended?(path)) }
      end

      def segment?(path)
        File.exist?("#{path.delete_suffix(File.extname(path))}.segment")
      end

      def requested?(path) = path.end_with?(Capture::Controller::SUFFIX)

      def attended?(path)
        head(path).facts["trigger"] != "dashboard"
      rescue
        true
      end

      def head(path)
        Capture::Header.parse(File.binread(path, Capture::Layout::HEADER_BYTES).to_s, path:)
      end

      # Removes a capture that can't be kept too: it must not fill the memory.
      def take(path)
        header = head(path)
        keep(path, header) if wanted?(path, header)
      rescue => error # whatever it is, it is in the file: that goes, and the others stay
        @problem = error.message
        @warnings.again(:capture, "a capture can't be kept: #{error.message}")
      ensure
        File.unlink(path) if File.exist?(path)
      end

      def wanted?(path, header)
        return false if path.end_with?(Capture::RuleWatch::ARMED) && header.caught.zero?
        return true unless header.facts["trigger"] == "rule"
        rested = rested?(header.facts["every_s"])
        @kept_ns = @clock.monotonic_ns if rested
        rested
      end

      def rested?(every_s)
        @kept_ns.nil? || @clock.monotonic_ns - @kept_ns >= every_s.to_i * NS
      end

      def keep(path, header)
        bytes = File.binread(path, header.events_bytes)
        facts = Analysis::Timeline::CaptureMatches.facts(bytes)
        @archive.add(Capture::Reason.add(bytes, facts), Time.at(@clock.realtime_s))
        @problem = nil
      ensure
        bytes&.clear # megabytes, which would stay until the next garbage collection
      end
    end
  end
end
