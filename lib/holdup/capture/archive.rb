# frozen_string_literal: true

require "fileutils"
require "zlib"
require_relative "event_log"
require_relative "header"
require_relative "layout"

module Holdup
  module Capture
    # One capture in the folder of those that are kept, as far as its first page says.
    #
    # - `path`; `bytes`: of the packed file; `time`: when it ended; `pid`; `header`: nil where it can't be
    #   read
    ArchivedCapture = Data.define(:path, :bytes, :time, :pid, :header) do
      # @return [ArchivedCapture, nil] nil where the file is gone or its name is not one of a capture
      def self.at(path)
        match = ArchivedCapture::NAME.match(File.basename(path))
        return unless match
        *time, pid = match.captures
        new(path:, bytes: File.size(path), time: Time.utc(*time), pid: pid.to_i, header: head(path))
      rescue Errno::ENOENT, ArgumentError
        nil
      end

      # Ruby warns of a stream that is closed before its end, unless it was reset.
      def self.unpacking
        stream = Zlib::Inflate.new(ArchivedCapture::GZIP)
        yield stream
      ensure
        stream.reset
        stream.close
      end

      # Of megabytes only the start is read.
      def self.head(path)
        packed = File.binread(path, 2 * Layout::HEADER_BYTES).to_s
        unpacking { |stream| Header.parse(stream.inflate(packed), path:) }
      rescue Zlib::Error, DamagedData
        nil
      end
      private_class_method :head

      # @return [String] by which it is asked for
      def id
        File.basename(path).delete_suffix(ArchivedCapture::SUFFIX)
      end

      # @return [Hash{String => Object}] why there is a capture, and what it caught (docs/capture-file.md)
      def facts
        header ? header.facts : {}
      end

      # @return [Integer, nil] ns; nil where its process was killed meanwhile
      def length_ns
        header.ns(header.end_ticks - header.begin_ticks) if header&.closed?
      end

      # @return [Integer, nil] events that are in it
      def events
        header && [header.head, header.capacity].min
      end
    end

    ArchivedCapture::GZIP = Zlib::MAX_WBITS + 16
    ArchivedCapture::SUFFIX = ".holdup-capture"
    # year, month, day, T, hour, minute, second, Z, pid, and a number where there are two of a second
    ArchivedCapture::NAME = /
      \A(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d{1,10})(?:-\d{1,3})?
      #{Regexp.escape(ArchivedCapture::SUFFIX)}\z
    /x

    # The folder in which captures are kept: packed, for this user only, and not more than the newest.
    class Archive
      SUFFIX = ArchivedCapture::SUFFIX
      KEPT = 50
      KEPT_BYTES = 200_000_000

      # @param path [String] of a file, packed or as the process wrote it
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
          stream.inflate(bytes) do |part|
            break if whole.bytesize >= Layout::MAX_BYTES
            whole << part
          end
          raise Zlib::Error, "its end is missing" unless stream.finished?
        end
        whole
      end
      private_class_method :unpacked

      attr_reader :dir

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
        path = unused_path("#{time.utc.strftime("%Y%m%dT%H%M%SZ")}-#{header.pid}")
        write_atomically(path, Zlib.gzip(bytes))
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
      def find(id)
        path = files.find { |file| File.basename(file) == "#{id}#{SUFFIX}" }
        ArchivedCapture.at(path) if path
      end

      private

      # One process can leave two within a second: what its rule caught, and what a client asked for.
      def unused_path(name)
        path = File.join(@dir, "#{name}#{SUFFIX}")
        number = 1
        while File.exist?(path)
          number += 1
          path = File.join(@dir, "#{name}-#{number}#{SUFFIX}")
        end
        path
      end

      # A file that does not fit is removed again.
      def write_atomically(path, packed)
        File.write("#{path}.new", packed, mode: "wb", perm: 0o600)
        File.rename("#{path}.new", path)
      rescue SystemCallError
        FileUtils.rm_f("#{path}.new")
        raise
      end

      def prune
        room = KEPT_BYTES
        files.each_with_index do |path, index|
          room -= File.size(path)
          File.unlink(path) if index >= KEPT || (room.negative? && index.positive?)
        end
      end
    end
  end
end
