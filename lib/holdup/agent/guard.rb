# frozen_string_literal: true

require_relative "../model/utf8"

module Holdup
  # Keeps our failures away from the application: counts a failure inside a block, logs it at most once a
  # minute for each place, and drops it. The only broad rescue of the in-app half, so the application is never
  # called inside it.
  #
  #   guard.call(:rack) { record_the_unit }   # nil when it failed
  #
  # A block costs two methods. What each request passes through rescues by itself and calls `failed`:
  #
  #   rescue *Guard::FAILURES => error
  #     @guard.failed(:rack, error)
  class Guard
    # A file of ours that can't be loaded must not stop the application either.
    FAILURES = [StandardError, ScriptError].freeze
    SILENCE_NS = 60_000_000_000

    # Methods that are measured by notifications because they could not be hooked: the reason of each.
    # @return [Hash{String => String}]
    attr_reader :notified

    # @param on_failure [#call, nil] called without arguments for each failure
    # @param interruption [#call, nil] whether an error is the application's (Thread#raise, a timeout), which
    #   met the thread in code of ours
    def initialize(log:, clock:, on_failure: nil, interruption: nil)
      @log = log
      @clock = clock
      @on_failure = on_failure
      @interruption = interruption
      @failures = Hash.new(0)
      @logged_ns = {}
      @not_hooked = {}
      @notified = {}
    end

    # @param place [Symbol] part of Holdup that runs, for the log
    def call(place)
      yield
    rescue *FAILURES => error
      failed(place, error)
    end

    # @param error [Exception] one of FAILURES; an interruption goes on to the application
    # @return [nil]
    def failed(place, error)
      raise error if @interruption&.call(error)
      @failures[place] += 1
      @on_failure&.call
      log_failure(place, error) if due?(place)
      nil
    end

    # Number of failures by place.
    def failures = @failures.dup

    # A method of a library can't be hooked, so what it does is not measured. Logs it once.
    # @param method [String] "Net::HTTP#request"
    # @param reason [String] a sentence without its end
    # @return [nil]
    def not_hooked(method, reason)
      return if @not_hooked.key?(method)
      @not_hooked = @not_hooked.merge(method => reason)
      @log.warn("does not hook #{method}, so nothing is measured there: #{reason}")
      nil
    end

    # A method of a library can't be hooked, so what it does is measured by the library's notifications. Logs
    # it once.
    # @param method [String] "ActiveRecord::ConnectionAdapters::AbstractAdapter#log"
    # @param reason [String] a sentence without its end
    # @return [nil]
    def notified_instead(method, reason)
      return if @notified.key?(method)
      @notified = @notified.merge(method => reason)
      @log.warn("does not hook #{method}, and measures it by notifications, which cost more: #{reason}")
      nil
    end

    # Methods that could not be hooked.
    # @return [Hash{String => String}] method => reason
    def unhooked = @not_hooked

    private

    def due?(place)
      now = @clock.monotonic_ns
      logged_ns = @logged_ns[place]
      return false if logged_ns && now - logged_ns < SILENCE_NS
      @logged_ns[place] = now
    end

    # Must not raise, because no rescue surrounds it. A message may be any bytes, a log may be closed.
    def log_failure(place, error)
      line = error.backtrace&.first
      where = " at #{Utf8.valid(line)}" if line
      message = Utf8.valid(error.message)[0, 500]
      @log.warn("#{place} failed, the application is not affected: #{message} (#{error.class}#{where})")
    rescue
      nil
    end
  end
end
