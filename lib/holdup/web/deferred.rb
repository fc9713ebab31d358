# frozen_string_literal: true

module Holdup
  class Web
    # Answers that take longer than anybody likes to look at an empty page (a replay, thousands of bootstrap draws): they are
    # worked out in a thread of their own. Who asks is told so after a quarter of a second, by a page that asks again by itself, and
    # gets the answer once it is there; whoever else asks the same meanwhile gets the same one.
    class Deferred
      PAGES = %w[/advice /compare].freeze
      PATIENCE_S = 0.25
      # Nobody came for it any more.
      KEPT_S = 60
      NS = 1_000_000_000
      # Of the environment, whatever makes it another answer.
      ASKED = %w[SCRIPT_NAME PATH_INFO QUERY_STRING HTTP_ACCEPT_LANGUAGE HTTP_X_FORWARDED_PREFIX].freeze

      Work = Data.define(:thread, :begun_ns)

      # @param clock [#monotonic_ns]
      # @param patience_s [Numeric, nil] nil: as long as it takes
      def initialize(clock:, patience_s: PATIENCE_S)
        @clock = clock
        @patience_s = patience_s
        @lock = Mutex.new
        @works = {}
      end

      # @param env [Hash] the Rack environment
      # @yieldparam env [Hash] its own, in its own thread
      # @yieldreturn [Array] status, headers, body
      # @return [Array, nil] that answer; nil while it is worked out
      def call(env, &answer)
        return yield(env) unless defers?(env)
        asked = env.values_at(*ASKED)
        work = @lock.synchronize { @works[asked] ||= begin_work(env, &answer) }
        return unless work.thread.join(@patience_s)
        @lock.synchronize { @works.delete(asked) }
        work.thread.value
      end

      private

      def defers?(env) = @patience_s && env["REQUEST_METHOD"] == "GET" && PAGES.include?(env["PATH_INFO"])

      def begin_work(env)
        forget
        thread = Thread.new { yield env.dup }
        thread.name = "holdup-page"
        thread.report_on_exception = false
        Work.new(thread:, begun_ns: @clock.monotonic_ns)
      end

      # What is still being worked out stays: another one would have it begin anew.
      def forget
        oldest_ns = @clock.monotonic_ns - KEPT_S * NS
        @works.delete_if { |_, work| work.begun_ns < oldest_ns && !work.thread.alive? }
      end
    end
  end
end
