# frozen_string_literal: true

module Holdup
  module View
    # A sentence for each pattern of a capture.
    class TimelinePatterns
      # @param patterns [Array<Analysis::Timeline::Patterns::Pattern>]
      # @param names [TimelineNames]
      # @param words [Words]
      def initialize(patterns, names:, words:)
        @patterns = patterns
        @names = names
        @words = words
      end

      # @return [Array<String>]
      def sentences
        @patterns.map do |pattern|
          facts = figures(pattern.facts.except(:cause, :ran))
          word(pattern.key, **facts, **hold(pattern.facts, facts))
        end
      end

      private

      def word(key, **facts)
        @words.call(:"timeline_#{key}", **facts)
      end

      # Where the time of a long hold went, and what is known of its cause.
      def hold(known, facts)
        known[:cause] ? {parts: parts(known), cause: word(:"hold_#{known[:cause]}", **facts)} : {}
      end

      def figures(facts)
        facts.to_h { |name, fact| [name, figure(name, fact)] }
      end

      def figure(name, fact)
        case fact
        when nil then word(:no_unit)
        when Float then Figures.share(fact)
        when Integer then name.end_with?("ns") ? Figures.duration(fact) : Figures.count(fact)
        when Analysis::Timeline::Lane then @names.thread(fact)
        else @names.text(fact)
        end
      end

      # The unit and the method, each with its share.
      def parts(facts)
        share = Figures.share(facts[:share])
        who, (frame, ran) = facts.values_at(:who, :ran)
        unit = who ? word(:hold_unit, share:, who: @names.text(who)) : word(:hold_outside, share:)
        frame ? "#{unit}#{word(:hold_ran, share: Figures.share(ran), frame: @names.frame(frame))}" : unit
      end
    end
  end
end
