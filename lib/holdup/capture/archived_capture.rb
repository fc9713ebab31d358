# frozen_string_literal: true

require "zlib"
require_relative "header"

module Holdup
  module Capture
    # One capture in the folder of those that are kept, as far as its first page tells.
    #
    # - `path`; `bytes`: of the packed file; `time`: when it ended; `pid`; `header`: nil where it can't be
    #   read
    ArchivedCapture = Data.define(:path, :bytes, :time, :pid, :header) do
      # @param path [String]
      # @return [ArchivedCapture, nil] nil where there is no such file any more, or its name is none of ours
      def self.at(path)
        year, month, day, hour, minute, second, pid = ArchivedCapture::NAME.match(File.basename(path))&.captures
        if pid
          new(path:, bytes: File.size(path), time: Time.utc(year, month, day, hour, minute, second),
            pid: pid.to_i, header: head(path))
        end
      rescue Errno::ENOENT, ArgumentError
        nil
      end

      # Ruby warns of a stream that is closed before its end, unless it was reset.
      # @yieldparam stream [Zlib::Inflate]
      # @return the block's value
      def self.unpacking
        stream = Zlib::Inflate.new(ArchivedCapture::GZIP)
        yield stream
      ensure
        stream.reset
        stream.close
      end

      # Of megabytes only the start is read.
      def self.head(path)
        unpacking { |stream| Header.parse(stream.inflate(File.binread(path, 2 * Layout::HEADER_BYTES).to_s), path:) }
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
    ArchivedCapture::NAME = /\A(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d{1,10})(?:-\d{1,3})?#{Regexp.escape(ArchivedCapture::SUFFIX)}\z/
  end
end
