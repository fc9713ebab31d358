# frozen_string_literal: true

require "fileutils"
require "zlib"
require_relative "archived_capture"
require_relative "event_log"

module Holdup
  module Capture
    # The folder in which captures are kept: packed, for this user only, and not more than the newest.
    class Archive
      SUFFIX = ArchivedCapture::SUFFIX
      KEPT = 50
      KEPT_BYTES = 200_000_000

      # @param path [String] of a file, packed or as the process wrote it
      # @return [EventLog]
      # @raise [DamagedData] it is no capture
      # @raise [SystemCallError] it can't be read
      def self.read(path)
        bytes = File.binread(path, Layout::MAX_BYTES).to_s
        EventLog.parse(bytes.start_with?("\x1f\x8b".b) ? unpacked(bytes) : bytes, path:)
      rescue Zlib::Error => error
        raise Header.refusal(path, error.message)
      end

      # No more than a capture can be: a few bytes can be packed gigabytes.
      def self.unpacked(bytes)
        whole = +"".b
        ArchivedCapture.unpacking do |stream|
          stream.inflate(bytes) { |part| (whole.bytesize < Layout::MAX_BYTES) ? whole << part : break }
          raise Zlib::Error, "its end is missing" unless stream.finished?
        end
        whole
      end
      private_class_method :unpacked

      # @return [String]
      attr_reader :dir

      # @param dir [String]
      def initialize(dir)
        @dir = File.expand_path(dir)
      end

      # @param bytes [String] of a capture
      # @param time [Time] when it ended
      # @return [String] path of the new file
      # @raise [SystemCallError]
      def add(bytes, time)
        header = Header.parse(bytes, path: "the capture")
        FileUtils.mkdir_p(@dir, mode: 0o700)
        path = free("#{time.utc.strftime("%Y%m%dT%H%M%SZ")}-#{header.pid}")
        place(path, Zlib.gzip(bytes))
        prune
        path
      end

      # @return [Array<String>] paths, the newest first
      def files
        Dir[File.join(@dir, "*#{SUFFIX}")].sort.reverse
      end

      # @return [Array<ArchivedCapture>] the newest first
      def kept
        files.filter_map { |path| ArchivedCapture.at(path) }
      end

      # @param id [String] of one that is listed
      # @return [ArchivedCapture, nil]
      def find(id)
        files.find { |path| File.basename(path) == "#{id}#{SUFFIX}" }&.then { |path|
          ArchivedCapture.at(path)
        }
      end

      private

      # One process can leave two within a second: what it caught, and what somebody has asked for.
      def free(name)
        names = [name].chain((2..).lazy.map { |number| "#{name}-#{number}" })
        names.map { |one| File.join(@dir, "#{one}#{SUFFIX}") }.find { |path| !File.exist?(path) }
      end

      # Where there is no room, nothing of it is left to take some.
      def place(path, packed)
        File.write("#{path}.new", packed, mode: "wb", perm: 0o600)
        File.rename("#{path}.new", path)
      rescue SystemCallError
        FileUtils.rm_f("#{path}.new")
        raise
      end

      def prune
        room = KEPT_BYTES
        files.each_with_index { |path, index|
          if index >= KEPT || ((room -= File.size(path)).negative? && index.positive?)
            File.unlink(path)
          end
        }
      end
    end
  end
end
