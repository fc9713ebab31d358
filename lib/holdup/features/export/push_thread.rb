# frozen_string_literal: true

module Holdup
  module Export
    # Sends figures at intervals, in a thread of its own: a receiver that is slow or hangs delays neither the
    # collector nor another exporter.
    class PushThread
      # Different messages of one outage, which may alternate.
      MOST_MESSAGES = 3
      # The last push takes at most so long, because a supervisor waits only seconds for its collector.
      CLOSE_S = 2

      # @param receiver [String] for the log, as `address`
      # @param push [#call] sends; raises what the log says
      def initialize(receiver, address:, interval_s:, log:, close_s: CLOSE_S, &push)
        @receiver = receiver
        @address = address
        @interval_s = interval_s
        @close_s = close_s
        @log = log
        @push = push
        @logged = []
      end

      # Does nothing when it runs.
      def start
        return if @thread&.alive?
        @wake = Thread::Queue.new
        @thread = Thread.new { run }
        @thread.name = "holdup-push"
        @thread.report_on_exception = false
        @thread.thread_variable_set(:fork_safe, true)
        @log.info("figures for #{@receiver} go to #{@address} every #{format("%g", @interval_s)} s")
      end

      # Ends with a last push, or without it when that takes too long.
      def stop
        thread = @thread or return
        @thread = nil
        @wake.close
        return if thread.join(@close_s)
        thread.kill
        @log.warn("#{@receiver} did not take the last figures within #{@close_s} s; the store has them")
      end

      private

      def run
        loop do
          @wake.pop(timeout: @interval_s)
          last = @wake.closed?
          push
          break if last
        end
      end

      def push
        @push.call
        @log.warn("#{@receiver} gets figures again") if @logged.any?
        @logged.clear
      rescue => error
        message = error.message
        return if @logged.include?(message) || @logged.size == MOST_MESSAGES
        @logged << message
        @log.warn("#{@receiver} did not get figures: #{message}")
      end
    end

    # Extends a Logger for the gem of an exporter: keeps what that last complained of, as a short line: it may
    # have a receiver's answer in it.
    module PushThread::LastComplaint
      MOST_CHARACTERS = 500

      # @return [Logger]
      def self.logger
        require "logger" # from Ruby 4.0 on a gem of its own, which those gems bring
        ::Logger.new(nil).extend(self)
      end

      attr_accessor :text

      def add(severity, message = nil, progname = nil)
        return true if severity < ::Logger::WARN
        message ||= block_given? ? yield : progname
        @text = Utf8.valid(message)[0, MOST_CHARACTERS].gsub(/[[:cntrl:]]+/, " ")
        true
      end
    end
  end
end
