# frozen_string_literal: true

require_relative "../model/errors"
require_relative "../segment/directory"
require_relative "../segment/layout"
require_relative "controller"
require_relative "event_log"
require_relative "request"

module Holdup
  module Capture
    # Outside of the application: asks one process for a capture and waits until it is there.
    class Client
      # Takes away what processes left behind that were killed while nobody waited for their captures.
      # @param dir [String] folder of the segments
      # @param alive [Array<Segment::DirectoryEntry>] of processes that live
      # @return [void]
      def self.sweep(dir, alive)
        left = Segment::Directory.new(dir).files_with_suffix(Controller::SUFFIX) - alive.map { |entry| Controller.path(entry.path) }
        left.each { |path| File.unlink(path) }
      end

      # A process that stopped and started again has a closed segment too.
      # @param dir [String] folder of the segments
      # @return [Array<Segment::DirectoryEntry>] of processes that can be asked
      # @raise [SystemCallError] the folder can't be read
      def self.processes(dir)
        living = Segment::Directory.new(dir).entries.select { |entry| entry.alive && !entry.link }
        sweep(dir, living)
        living.reject { |entry| entry.read(&:header).closed? }
      end

      # @return [Segment::DirectoryEntry]
      attr_reader :entry

      # @param entry [Segment::DirectoryEntry] of the process
      # @param request [Request]
      # @param rule [Trigger, nil] of the unit that ends the capture
      def initialize(entry, request, rule = nil)
        @entry = entry
        @request = request
        @rule = rule
        @path = Controller.path(entry.path)
      end

      # @return [self]
      # @raise [Error] a capture goes on already
      # @raise [SystemCallError]
      def ask
        if begun? && !header.closed?
          raise Error.new("process #{@entry.pid} is being captured already", "wait until that has ended")
        end
        File.unlink(@path) if begun? # of somebody who did not wait for it
        File.open(@entry.path, File::WRONLY | File::BINARY) do |file|
          file.pwrite([@rule&.encode.to_i].pack("Q<"), Segment::Layout::CAPTURE_RULE) # first: the request is what the process looks at
          file.pwrite([@request.encode].pack("Q<"), Segment::Layout::CAPTURE_REQUEST)
        end
        self
      end

      # @return [Boolean] whether the process has begun
      def begun? = File.exist?(@path)

      # @return [Boolean] whether nothing more comes
      def ended?
        begun? && header.closed?
      end

      # Takes the file away from the process.
      # @return [String] its bytes up to the last event
      def take
        bytes = File.binread(@path, header.events_bytes)
        File.unlink(@path)
        bytes
      end

      private

      def header
        Header.parse(File.binread(@path, Layout::HEADER_BYTES).to_s, path: @path)
      end
    end
  end
end
