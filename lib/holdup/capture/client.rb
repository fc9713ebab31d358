# frozen_string_literal: true

require_relative "../model/errors"
require_relative "../segment/directory"
require_relative "../segment/layout"
require_relative "controller"
require_relative "header"
require_relative "layout"
require_relative "rule"

module Holdup
  module Capture
    # Runs outside of the application: asks one process for a capture and waits for it.
    class Client
      # Removes captures of killed processes for which no client waits.
      # @param living [Array<Segment::DirectoryEntry>] of processes that may live
      def self.sweep(dir, living)
        captures = Segment::Directory.new(dir).files_with_suffix(Controller::SUFFIX)
        of_living = living.map { |entry| Controller.path(entry.path) }
        (captures - of_living).each { |path| File.unlink(path) }
      end

      # Processes that can be asked. One that stopped and started again has a closed segment too.
      # @raise [Error] the folder is another user's
      # @raise [SystemCallError] the folder can't be read
      def self.processes(dir)
        directory = Segment::Directory.new(dir)
        directory.check_owner
        sweep(dir, directory.unended)
        files = directory.running.reject(&:link)
        files.reject { |entry| entry.read(&:header).closed? }
      end

      attr_reader :entry

      def initialize(entry, request, rule = nil)
        @entry = entry
        @request = request
        @rule = rule
        @path = Controller.path(entry.path)
      end

      # @raise [Error] a capture is already running
      # @raise [SystemCallError]
      def ask
        if begun? && !header.closed?
          raise Error.new("process #{@entry.pid} is being captured already", "wait until that has ended",
            key: :capture_running, pid: @entry.pid)
        end
        File.unlink(@path) if begun? # left by a client that did not wait for it
        write_request
        self
      end

      def begun? = File.exist?(@path)

      def ended?
        begun? && header.closed?
      end

      # Removes the file and returns its bytes up to the last event.
      def take
        bytes = File.binread(@path, header.events_bytes)
        File.unlink(@path)
        bytes
      end

      private

      # Writes the rule first, because the process looks at the request.
      def write_request
        File.open(@entry.path, File::WRONLY | File::BINARY | File::NOFOLLOW) do |file|
          file.pwrite([@rule&.encode.to_i].pack("Q<"), Segment::Layout::CAPTURE_RULE)
          file.pwrite([@request.encode].pack("Q<"), Segment::Layout::CAPTURE_REQUEST)
        end
      end

      def header
        Header.parse(File.binread(@path, Layout::HEADER_BYTES).to_s, path: @path)
      end
    end

    # Asks a process of this host for a capture, for callers that can't wait, such as a page: the process ends
    # it by itself, and the collector keeps it.
    class BackgroundRequest
      # `pid`; `name`: "worker 0", or "pid 123" outside of a cluster
      TargetProcess = Data.define(:pid, :name)

      def initialize(dir:, clock:)
        @dir = dir
        @clock = clock
      end

      def processes
        entries.map do |entry|
          TargetProcess.new(pid: entry.pid, name: entry.read { |reader| reader.header.process_name })
        end
      end

      # @raise [Error] the process is missing, captured already, or another user's
      def order(pid, seconds: 10)
        entry = entries.find { |candidate| candidate.pid == pid }
        raise unmeasured(pid) unless entry
        request = Request.new(asked_ms: @clock.realtime_ns / 1_000_000, seconds:, attended: false)
        Client.new(entry, request).ask
      rescue SystemCallError => error
        raise Error.new("the process can't be asked (#{error.message})",
          "run the dashboard as the application's user", key: :capture_denied, reason: error.message)
      end

      private

      def unmeasured(pid)
        Error.new("process #{pid} measures nothing here", "choose one that does",
          key: :capture_unmeasured, pid:)
      end

      def entries
        Client.processes(@dir)
      rescue SystemCallError
        []
      end
    end
  end
end
