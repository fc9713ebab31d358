# frozen_string_literal: true

require_relative "line"

module Holdup
  class Web
    # Answers that take longer than anybody likes to look at an empty page (a replay, thousands of bootstrap draws): they are
    # worked out in a thread of their own, those of a page one after the other. Who asks is told so after a quarter of a
    # second, by a page that asks again by itself, and gets the answer once it is there.
    class Deferred
      PAGES = %w[/advice /compare].freeze
      PATIENCE_S = 0.25
      # Of the environment, whatever makes it another answer.
      ASKED = %w[SCRIPT_NAME PATH_INFO QUERY_STRING HTTP_ACCEPT_LANGUAGE HTTP_X_FORWARDED_PREFIX].freeze

      # There is no answer yet. `ahead`: so many others come first; nil where too many wait already
      Later = Data.define(:ahead) do
        # @return [Integer]
        def status = ahead ? 202 : 503

        # @return [Integer] when to ask again
        def again_s = ahead ? 1 : 5

        # @return [Symbol] of the sentence that tells it
        def key
          return :line_full unless ahead
          ahead.zero? ? :worked_out : :in_line
        end

        # @return [Hash{Symbol => Integer}] what that sentence takes
        def facts = (key == :in_line) ? {ahead:} : {}
      end

      # @param clock [#monotonic_ns]
      # @param patience_s [Numeric, nil] nil: as long as it takes
      def initialize(clock:, patience_s: PATIENCE_S)
        @patience_s = patience_s
        @lines = PAGES.to_h { |page| [page, Line.new(clock:)] }
      end

      # @param env [Hash] the Rack environment
      # @yieldparam env [Hash] its own, in its own thread
      # @yieldreturn [Array] status, headers, body
      # @return [Array, Later] that answer, or that it is not there yet
      def call(env, &answer)
        return yield(env) unless defers?(env)
        line, asked, own = @lines.fetch(env["PATH_INFO"]), env.values_at(*ASKED), env.dup
        turn = line.join(asked) { yield own }
        turn.is_a?(Thread) ? taken(line, asked, turn) : Later.new(turn)
      end

      private

      # What it failed with is raised here, and not kept.
      def taken(line, asked, turn)
        done = turn.join(@patience_s)
        done ? done.value : Later.new(0)
      ensure
        line.leave(asked) if done || turn.status.nil?
      end

      def defers?(env) = @patience_s && env["REQUEST_METHOD"] == "GET" && PAGES.include?(env["PATH_INFO"])
    end
  end
end
