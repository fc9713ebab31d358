# frozen_string_literal: true

require_relative "../../probe"

module Holdup
  module Instrumentation
    class Tracers
      # The names of those for whom units wait. A holder often goes on while who waited for it ends: then its
      # name is what is known by now. Open units are kept weakly, so that one that nobody ever ends keeps
      # nothing alive.
      class HolderNames
        # Of so many units that have ended the name is known.
        ENDED = 1_000
        FORGOTTEN = "(a unit that has ended)"
        NAMELESS = "(a unit without a name)"
        MOST_CHARACTERS = 200

        def initialize
          @open = ObjectSpace::WeakMap.new
          @ended = {}
        end

        # @param unit [Recorder::OpenUnit] that begins
        # @return [void]
        def opened(unit)
          @open[unit.handle] = unit
        end

        # @param unit [Recorder::OpenUnit] that has ended
        # @return [void]
        def closed(unit)
          @open.delete(unit.handle)
          @ended[unit.handle] = unit.name
          @ended.shift if @ended.size > ENDED
        end

        # @param unit [Recorder::OpenUnit] that goes on, in its own thread
        # @return [Array(String, Integer), nil] the name of those for whom it waited longest, and for how many
        #   ns; nil below 1 ms
        def longest(unit)
          sums = Hash.new(0)
          unit.holders&.each { |holder, ns| sums[name(holder)] += ns }
          sums.max_by(&:last)&.then { |longest| longest if longest.last >= Probe::HOLDER_LEAST_NS }
        end

        private

        # Of threads outside of units it is their account's, as in reports.
        def name(holder)
          return holder if holder.is_a?(String)
          open = @open[holder]
          text = open ? open.name_so_far : @ended.fetch(holder, FORGOTTEN)
          clean(text || NAMELESS)
        end

        # The application's own names may be anything, and tracers refuse what is no good UTF-8.
        def clean(text)
          text.to_s.dup.force_encoding(Encoding::UTF_8).scrub[0, MOST_CHARACTERS]
        end
      end
    end
  end
end
