# frozen_string_literal: true

require_relative "../../model/quantities"
require_relative "../probe"

module Holdup
  class Recorder < Probe::RecorderFields
    # Names of the holders that units wait for. A holder often outlives the waiting unit: then its name is
    # what is known by now. References to open units are weak, so that a unit that never ends stays
    # collectable.
    class HolderNames
      # Limit of names kept of ended units.
      ENDED = 1_000
      FORGOTTEN = "(a unit that has ended)"
      NAMELESS = "(a unit without a name)"
      MOST_CHARACTERS = 200
      # Who is waited for less is no cause that a span should name.
      LEAST_NS = MS

      def initialize
        @open = ObjectSpace::WeakMap.new
        @ended = {}
      end

      def opened(unit)
        @open[unit.handle] = unit
      end

      def closed(unit)
        @open.delete(unit.handle)
        @ended[unit.handle] = unit.name
        @ended.shift if @ended.size > ENDED
      end

      # @param holders [Array<Array(Integer, Integer), Array(String, Integer)>, nil] see Recorder#holders
      # @return [Array(String, Integer), nil] the name with most time, and ns; nil below 1 ms
      def longest(holders)
        sums = Hash.new(0)
        holders&.each { |holder, ns| sums[name(holder)] += ns }
        longest = sums.max_by(&:last)
        longest if longest && longest.last >= LEAST_NS
      end

      # @param handle [Integer]
      # @return [String, nil] nil: it has none yet, began before names were kept, or ended long ago
      def known_name(handle)
        open = @open[handle]
        text = open ? open.name_so_far : @ended[handle]
        text && clean(text)
      end

      private

      # A holder outside of units has its thread's account as name, as in reports.
      def name(holder)
        return holder if holder.is_a?(String)
        return FORGOTTEN unless @open[holder] || @ended.key?(holder)
        known_name(holder) || NAMELESS
      end

      # Names may be any bytes, and tracers refuse invalid UTF-8.
      def clean(text)
        text.to_s.dup.force_encoding(Encoding::UTF_8).scrub[0, MOST_CHARACTERS]
      end
    end

    # Keeps the names of units for those that wait for them, where no tracer's watcher does.
    class HolderWatch
      def initialize(guard)
        @guard = guard
        @holders = HolderNames.new
      end

      def opened(unit)
        @guard.call(:holders) { @holders.opened(unit) }
      end

      def closing(_unit) = nil

      def closed(unit)
        @guard.call(:holders) { @holders.closed(unit) }
      end

      # @param handle [Integer]
      # @return [String, nil]
      def holder_name(handle) = @holders.known_name(handle)
    end
  end
end
