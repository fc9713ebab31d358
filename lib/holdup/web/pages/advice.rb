# frozen_string_literal: true

require_relative "../../advice"
require_relative "../../analysis/sizing/objective"
require_relative "../../errors"
require_relative "../../inquiry/sized"
require_relative "../../reports/json_advice"
require_relative "../../reports/moments"
require_relative "../advised"
require_relative "advice/what_if"
require_relative "base"

module Holdup
  class Web
    module Pages
      # Keep, change, or can't say, with the table of settings and what else to do.
      class Advice < Base
        # A replay takes seconds of a CPU: two who ask at once must not take twice as much from the application. A page waits, in
        # a thread of its own (Web::Line); a program is told to come again.
        REPLAYING = Mutex.new
        private_constant :REPLAYING

        # @raise [UsageError] for a question that can't be read: before anything is replayed
        def initialize(...)
          super
          @what_if = WhatIf.new(query, words: @words)
        end

        # @return [Array<Object>]
        def blocks = REPLAYING.synchronize { [kinds, *answers, *advised.grounds] }

        def asks = []

        private

        # @raise [Error] while it is replayed for somebody else
        def alone
          raise Error.new("this is being replayed for somebody else", "ask again in a few seconds") unless REPLAYING.try_lock
          begin
            yield
          ensure
            REPLAYING.unlock
          end
        end

        def json
          advice = alone { {**Reports::JsonAdvice.new(recommendation, found, from_s: query.from_s, to_s: query.until_s, kind:, **{app: query["app"]}.compact).to_h, what_if: replayed&.to_h}.compact }
          "#{JSON.pretty_generate(advice)}\n"
        end

        def kind = query.kind || :request

        def kinds = Blocks::Links.new(title: advised.title, links: Query::KINDS.map { |kind| Blocks::Link.new(text: word(:"kind_#{kind}"), page: "advice", params: {"kind" => kind.to_s}) })

        def sized = @sized ||= Inquiry::Sized.new(store, from_s: query.from_s, to_s: query.until_s, kind:, objective: Analysis::Sizing::Objective.new((kind == :job) ? :throughput : :latency))

        def recommendation = sized.recommendation

        def found
          @found ||= Holdup::Advice.call(Holdup::Advice::Situation.new(summary: sized.summary, recommendation:, levers: Holdup::Advice::Levers.new(sized.lately)))
        end

        def advised = @advised ||= Advised.new(sized, found, words: @words, span:, kind:, limit: query.limit)

        # Who asks for something else looks for that first.
        def answers = what_if.asked? ? [what_if.form, *(replayed && Blocks.of(replayed.page)), *advised.answer] : [*advised.answer, what_if.form]

        attr_reader :what_if

        def replayed = @replayed ||= what_if.report(recommendation, kind:, span:)

        def span = Reports::Moments.span(query.from_s, query.until_s)
      end
    end
  end
end
