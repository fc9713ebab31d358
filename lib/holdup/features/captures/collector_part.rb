# frozen_string_literal: true

module Holdup
  module Captures
    # Takes the captures that processes left in memory, adds what they caught, and packs them into the folder
    # of kept captures. An incident triggers rules in all workers: each rule keeps one capture per interval.
    #
    # Where that folder can't be written (a full disk, no rights), the latest captures wait in memory.
    class CollectorPart
      # Each waiting capture has some megabytes.
      MOST_WAITING = 4

      def initialize(archive:, dir:, warnings:, clock:)
        @archive = archive
        @dir = dir
        @warnings = warnings
        @clock = clock
      end

      # @return [String, nil] why the latest capture could not be kept
      attr_reader :problem

      def call
        @waiting = []
        orphans.each { |path| take(path) }
        left.each { |path| take(path) }
        drop_oldest
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

      def take(path)
        waits?(path) ? @waiting << path : remove(path)
      end

      # @return [Boolean] whether it has to be tried again
      def waits?(path)
        header = head(path)
        keep(path, header) if wanted?(path, header)
        false
      rescue SystemCallError => error
        say("a capture can't be kept now: #{error.message}; the latest #{MOST_WAITING} wait", error)
        File.exist?(path)
      rescue => error # whatever it is, it is in the file: that goes, and the others stay
        say("a capture can't be kept: #{error.message}", error)
        false
      end

      # They must not fill the memory.
      def drop_oldest
        excess = @waiting.size - MOST_WAITING
        return unless excess.positive?
        @waiting.sort_by { |path| File.mtime(path) }.first(excess).each { |path| remove(path) }
        @warnings.again(:lost_capture, "captures that could not be kept are removed: #{excess}", same: nil)
      rescue Errno::ENOENT
        nil # its process has just removed it
      end

      def say(message, error)
        @problem = error.message
        @warnings.again(:capture, message)
      end

      def remove(path)
        File.unlink(path) if File.exist?(path)
      end

      def wanted?(path, header)
        return false if path.end_with?(Capture::RuleWatch::ARMED) && header.caught.zero?
        return true unless header.facts["trigger"] == "rule"
        rested?(header.facts["every_s"])
      end

      def rested?(every_s)
        @kept_ns.nil? || @clock.monotonic_ns - @kept_ns >= every_s.to_i * NS
      end

      def keep(path, header)
        bytes = File.binread(path, header.events_bytes)
        facts = Timeline::CaptureMatches.facts(bytes)
        @archive.add(Capture::Reason.add(bytes, facts), Time.at(@clock.realtime_s))
        @kept_ns = @clock.monotonic_ns if header.facts["trigger"] == "rule"
        @problem = nil
      ensure
        bytes&.clear # megabytes, which would stay until the next garbage collection
      end
    end
  end
end
