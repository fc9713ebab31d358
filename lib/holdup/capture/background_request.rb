# frozen_string_literal: true

require_relative "../model/errors"
require_relative "client"

module Holdup
  module Capture
    # Asks a process of this host for a capture and waits for nothing: the process ends it by itself, and the
    # collector keeps it. For whoever can't wait, such as a page.
    class BackgroundRequest
      # `pid`; `name`: "worker 0", or "pid 123" outside of a cluster
      TargetProcess = Data.define(:pid, :name)

      # @param dir [String] folder of the segments
      # @param clock [Clock]
      def initialize(dir:, clock:)
        @dir = dir
        @clock = clock
      end

      # @return [Array<TargetProcess>] those that can be asked
      def processes
        found.map { |entry|
          TargetProcess.new(pid: entry.pid, name: entry.read { |reader| reader.header.process_name })
        }
      end

      # @param pid [Integer]
      # @param seconds [Integer]
      # @return [void]
      # @raise [Error] there is no such process, it is being captured already, or another user's
      def order(pid, seconds: 10)
        entry = found.find { |one| one.pid == pid }
        raise Error.new("process #{pid} measures nothing here", "choose one that does") unless entry
        Client.new(entry,
          Request.new(asked_ms: @clock.realtime_ns / 1_000_000, seconds:, attended: false)).ask
      rescue SystemCallError => error
        raise Error.new("the process can't be asked (#{error.message})",
          "run the dashboard as the application's user")
      end

      private

      def found
        Client.processes(@dir)
      rescue SystemCallError
        []
      end
    end
  end
end
