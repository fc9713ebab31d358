# frozen_string_literal: true

require_relative "../model/utf8"

module Holdup
  # Keeps our failures ours: what goes wrong inside a block is counted, said at most once a minute for each
  # place, and forgotten. The only place of the in-app half that rescues broadly, so the application is never
  # called inside of it.
  #
  #   guard.call(:rack) { record_the_unit }   # nil when it failed
  class Guard
    SILENCE_NS = 60_000_000_000

    # @param log [#warn] where failures are said
    # @param clock [#monotonic_ns]
    # @param on_failure [#call, nil] called without arguments for each failure
    def initialize(log:, clock:, on_failure: nil)
      @log = log
      @clock = clock
      @on_failure = on_failure
      @failures = Hash.new(0)
      @said = {}
    end

    # @param place [Symbol] which part of ours runs, for the log
    # @return [Object, nil] the block's value, nil when it failed
    def call(place)
      yield
    rescue => e
      failed(place, e)
      nil
    rescue ScriptError => e # a file of ours that can't be loaded is no reason to stop an application either
      failed(place, e)
      nil
    end

    # @return [Hash{Symbol => Integer}] failures by place
    def failures = @failures.dup

    private

    def failed(place, error)
      @failures[place] += 1
      @on_failure&.call
      say(place, error) if due?(place)
    end

    def due?(place)
      now = @clock.monotonic_ns
      return false if @said[place] && now - @said[place] < SILENCE_NS
      @said[place] = now
    end

    # Nothing of this may fail: nobody rescues what comes from here. A message may be any bytes, a log may be
    # closed.
    def say(place, error)
      where = error.backtrace&.first
      message = Utf8.valid(error.message)[0, 500]
      @log.warn("#{place} failed, the application is not affected: #{message} (#{error.class}#{" at #{Utf8.valid(where)}" if where})")
    rescue
      nil
    end
  end
end
