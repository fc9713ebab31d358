# frozen_string_literal: true

require "fileutils"
require "zlib"
require_relative "event_log"
require_relative "header"
require_relative "layout"

module Holdup
  module Capture
    # One kept capture, as far as its first page describes it.
    #
    # - `path`; `bytes`: of the packed file; `time`: its end; `pid`; `header`: nil when unreadable
    ArchivedCapture = Data.define(:path, :bytes, :time, :pid, :header) do
      # @return [ArchivedCapture, nil] nil for a missing file or a name of something else
      def self.at(path)
        match = ArchivedCapture::NAME.match(File.basename(path))
        return unless match
        *time, pid = match.captures
        new(path:, bytes: File.size(path), time: Time.utc(*time), pid: pid.to_i, header: head(path))
      rescue Errno::ENOENT, ArgumentError
        nil
      end

      # Ruby warns of a stream closed before its end, unless it was reset.
      def self.unpacking
        stream = Zlib::Inflate.new(ArchivedCapture::GZIP)
        yield stream
      ensure
        stream.reset
        stream.close
      end

      # Reads only the start of megabytes.
      def self.head(path)
        packed = File.binread(path, 2 * Layout::HEADER_BYTES).to_s
        unpacking { |stream| Header.parse(stream.inflate(packed), path:) }
      rescue Zlib::Error, DamagedData
        nil
      end
      private_class_method :head

      def id
        File.basename(path).delete_suffix(ArchivedCapture::SUFFIX)
      end

      # Reason and findings of the capture (docs/internals/capture-file.md).
      def facts
        header ? header.facts : {}
      end

      # @return [Integer, nil] nil where its process was killed meanwhile
      def length_ns
        header.ns(header.end_ticks - header.begin_ticks) if header&.closed?
      end

      # Whether it has a part of what that process did between two moments, in ns since 1970.
      def of?(pid, from_ns, to_ns)
        return false unless length_ns && header.pid == pid
        header.begin_real_ns < to_ns && header.begin_real_ns + length_ns > from_ns
      end

      def events
        header && [header.head, header.capacity].min
      end
    end

    ArchivedCapture::GZIP = Zlib::MAX_WBITS + 16
    ArchivedCapture::SUFFIX = ".holdup-capture"
    # year, month, day, T, hour, minute, second, Z, pid, and a number for a second one within a second
    ArchivedCapture::NAME = /
      \A(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d{1,10})(?:-\d{1,3})?
      #{Regexp.escape(ArchivedCapture::SUFFIX)}\z
    /x

    # The folder of kept captures: packed, for this user only, and only the newest.
    class Archive
      SUFFIX = ArchivedCapture::SUFFIX
      KEPT = 50
      KEPT_BYTES = 200_000_000

      # @param path [String] of a file, packed or not
      # @raise [DamagedData] not a capture
      # @raise [SystemCallError]
      def self.read(path)
        # Ruby makes room for all that it is asked to read, and collects garbage for that.
        bytes = File.binread(path, [File.size(path), Layout::MAX_BYTES].min).to_s
        EventLog.parse(bytes.start_with?("\x1f\x8b".b) ? unpacked(bytes) : bytes, path:)
      rescue Zlib::Error => error
        raise Header.refusal(path, error.message)
      end

      # Limited to the size of a capture, because a few bytes can unpack to gigabytes.
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

      # @param time [Time] its end
      # @raise [SystemCallError]
      def add(bytes, time)
        header = Header.parse(bytes, path: "the capture")
        FileUtils.mkdir_p(@dir, mode: 0o700)
        path = unused_path("#{time.utc.strftime("%Y%m%dT%H%M%SZ")}-#{header.pid}")
        write_atomically(path, Zlib.gzip(bytes))
        prune
        path
      end

      # @return [Array<String>] paths, newest first
      def files
        Dir[File.join(@dir, "*#{SUFFIX}")].sort.reverse
      end

      # @return [Array<ArchivedCapture>] newest first
      def kept
        files.filter_map { |path| ArchivedCapture.at(path) }
      end

      def find(id)
        path = files.find { |file| File.basename(file) == "#{id}#{SUFFIX}" }
        ArchivedCapture.at(path) if path
      end

      private

      # One process can leave two captures within a second: its rule's and a client's.
      def unused_path(name)
        path = File.join(@dir, "#{name}#{SUFFIX}")
        number = 1
        while File.exist?(path)
          number += 1
          path = File.join(@dir, "#{name}-#{number}#{SUFFIX}")
        end
        path
      end

      # Removes a file that does not fit.
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
