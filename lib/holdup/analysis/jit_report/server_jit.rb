# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # The JIT in all processes of one server. Figures are medians over the processes that are there and have
      # one.
      class ServerJit
        # What YJIT adds to a process at the default limits: 48 MiB of code on Ruby 3.3, 128 MiB in all later.
        MOST_OF_CODE = JitReport.memory(JitReport.with_metadata(48 * MIB)).round
        MOST_OF_ALL = JitReport.memory(128 * MIB).round

        attr_reader :name, :lives, :present

        # @param name [String, nil]
        # @param lives [Array<ProcessLife>] all, those that have ended too
        # @param present [Array<ProcessLife>]
        def initialize(name, lives, present)
          @name = name
          @lives = lives
          @present = present
        end

        # @return [Array<ProcessLife>] of those that are there
        def on
          @on ||= present.select { |life| life.facts.on? }
        end

        # @return [Array<ProcessLife>]
        def off
          @off ||= present.select { |life| life.facts.off? }
        end

        # @param key [Symbol] of Facts
        # @return [Array<Object>] all values that there are
        def all(key)
          on.filter_map { |life| life.facts.public_send(key) }.uniq
        end

        # @return [Numeric, nil] of those that know
        def median(lives = on)
          values = lives.filter_map { |life| yield life }.sort
          values[(values.size - 1) / 2] if values.any?
        end

        # @return [Integer, nil] nanoseconds since 1970: when the first of them had it
        def since_ns = all(:since_ns).min

        # @return [Integer] processes that have compiled what they need
        def warm = on.count(&:warm_s)

        # @return [Integer] processes in which nothing more is compiled
        def saturated
          on.count { |life| life.facts.saturated || life.stuck? }
        end

        # @return [Array<ProcessLife>]
        def ended = lives.select(&:ended?)

        # @return [Integer, nil] median of those that have ended
        def units_per_life = median(ended, &:units)

        # @return [MemoryKiller, nil]
        def killer = present.filter_map(&:killer).first

        # @return [MemoryGrowth] of its processes' memory
        def growth = @growth ||= MemoryGrowth.new(lives)

        # @return [KillerFootprint] what the killer counts
        def watched
          @watched ||= KillerFootprint.new(killer, present, growth, room_bytes:)
        end

        # Most of what YJIT takes it takes at first. Where no process was seen to the end of that, the limit
        # has to leave room for all of it.
        # @return [Integer] bytes for each process
        def room_bytes
          return 0 if warm.positive? || !growth.known? || growth.basis != :unknown
          on.filter_map { |life| life.facts.room_bytes }.max.to_i
        end

        # @return [Integer, nil] bytes that the killer's limit has to leave
        def needed_bytes = watched.needed_bytes

        # @return [Integer, nil] bytes that the killer counts now
        def watched_bytes = watched.seen_bytes

        # @return [Integer] bytes that YJIT adds at most where it is off, to what the killer counts: at its
        #   default limit
        def most_bytes
          watched.more_bytes((present.first.ruby&.limits_total? == false) ? MOST_OF_CODE : MOST_OF_ALL)
        end

        # @param ages_s [Array<Integer>] ends of the bands
        # @return [Hash{Integer => Float}] median of the interpreted instructions for each unit up to that age
        def warm_up(ages_s) = by_age(ages_s, &:warm_up)

        # @param ages_s [Array<Integer>] ends of the bands
        # @return [Hash{Integer => Float}] median of the entries compiled for each unit up to that age
        def compiling(ages_s) = by_age(ages_s, &:compiling)

        private

        def by_age(ages_s, &)
          points = lives.select { |life| life.facts.on? }.flat_map(&)
          [0, *ages_s].each_cons(2).filter_map do |from_s, to_s|
            values = points.select { |age_s, _| age_s > from_s && age_s <= to_s }.map(&:last).sort
            [to_s, values[(values.size - 1) / 2]] if values.any?
          end.to_h
        end
      end
    end
  end
end
