# frozen_string_literal: true

require_relative "../../coverage"

module Holdup
  module Analysis
    module Sizing
      class Recording
      end

      # What of windows counts, and how many units came in each minute. A window of a minute counts or does not, see Boots. Of longer ones,
      # which are read of long spans and are left of old ones, the units that are kept singly tell which minutes they have units in.
      # So what is concluded does not depend on the windows that happen to be read.
      class Recording::Minutes
        MINUTE_S = 60
        NS = 1_000_000_000
        # Sums of a window that single units know as well; of the others, as many belong to a minute as units do.
        FIELDS = {running: :running_ns, stalled: :stalled_ns, idle: :idle_ns, wall: :wall_ns, queued: :queued_ns, cpu_ns: :cpu_ns, gc_ns: :gc_ns,
                  acquisitions: :acquisitions}.freeze

        # Units of one minute of a window. `noise`: by how much their number is likely off, squared, because not all are kept
        Minute = Data.define(:start_s, :units, :covered_s) do
          # @return [Float] units that they stand for
          def weight = units.sum(0.0, &:weight)

          def noise = units.sum(0.0) { |unit| unit.weight * (unit.weight - 1) }
        end
        private_constant :Minute

        # @param profiles [Array<UnitProfile>] of these units, also of the first minutes of processes
        # @param boots [Boots]
        def initialize(profiles, boots)
          @boots = boots
          @coverage = Coverage.of(profiles)
          @kept = profiles.group_by { |unit| unit.end_ns / NS / MINUTE_S * MINUTE_S }
          @slots = {}
        end

        # @param windows [Array<Window>]
        # @return [Array<Window>] what of them belongs to warm processes
        def warm(windows) = windows.filter_map { |window| long?(window) ? part(window) : (window if warm?(window)) }

        # @param windows [Array<Window>] of units, see warm
        # @return [Hash{Integer => Numeric}] units by the start of the minute in which they ended, ascending
        def counts(windows)
          slots = windows.group_by { |window| [window.start_s, window.seconds] }
          slots.each_with_object(Hash.new(0)) { |((start_s, seconds), same), all|
            count = same.sum(&:count)
            shares(start_s, seconds).each { |minute_s, share| all[minute_s] += (share == 1) ? count : count * share }
          }.sort.to_h
        end

        private

        def long?(window) = window.seconds > MINUTE_S

        def warm?(window) = @boots.warm?(window.start_s, window.end_s)

        # Where no unit of it was kept, the others of that time tell; where none was, it counts as a whole or not.
        def part(window)
          units = units(slot(window.start_s, window.seconds))
          return (window if warm?(window)) if units.empty?
          own = units.select { |unit| unit.series == window.series }
          own = units if own.empty?
          kept = own.select { |unit| warm_minute?(unit.end_ns / NS / MINUTE_S * MINUTE_S) }
          return if kept.empty?
          (kept.size == own.size) ? window : scaled(window, own, kept)
        end

        def scaled(window, all, kept)
          whole = share(all, kept, :itself)
          scale = ->(name, sum) { (sum * (FIELDS[name] ? share(all, kept, FIELDS[name]) || whole : whole)).round }
          histograms = window.histograms.to_h { |name, one| [name, Histogram::Head.new(count: (one.count * whole).round, sum: scale.call(name, one.sum))] }
          window.with(count: (window.count * whole).round, errors: (window.errors * whole).round, histograms:,
            sums: window.sums.to_h { |name, sum| [name, scale.call(name, sum)] })
        end

        # @return [Float, nil] how much of what all have is theirs
        def share(all, kept, field)
          sums = [kept, all].map { |units| units.sum(0.0) { |unit| unit.weight * ((field == :itself) ? 1 : unit.public_send(field).to_i) } }
          sums.last.positive? ? sums.first / sums.last : nil
        end

        def warm_minute?(start_s) = @boots.warm?(start_s, start_s + MINUTE_S)

        # @return [Hash{Integer => Numeric}] how much of a window's units came in which of its minutes
        def shares(start_s, seconds)
          return {start_s => 1} if seconds <= MINUTE_S
          minutes = slot(start_s, seconds).select { |minute| warm_minute?(minute.start_s) }
          return evenly(start_s, seconds) if minutes.empty?
          told = likely(minutes)
          told.transform_values { |weight| weight / told.values.sum }
        end

        def evenly(start_s, seconds)
          minutes = (start_s...start_s + seconds).step(MINUTE_S).to_a
          minutes.to_h { |minute_s| [minute_s, 1.0 / minutes.size] }
        end

        # Where a part of the units is kept, chance makes minutes look less alike than they were: by as much they are brought together again.
        def likely(minutes)
          minutes.zip(usual(minutes)).to_h { |minute, usual| [minute.start_s, usual + trust * (minute.weight - usual)] }
        end

        # @return [Array<Float>] units of each if they had come evenly
        def usual(minutes)
          whole, covered_s = minutes.sum(&:weight), minutes.sum(&:covered_s)
          minutes.map { |minute| whole * (covered_s.zero? ? 1.0 / minutes.size : minute.covered_s / covered_s) }
        end

        # @return [Float] of the differences between minutes, what is not chance
        def trust
          @trust ||= begin
            squares = @slots.values.flat_map { |minutes| minutes.zip(usual(minutes)).map { |minute, usual| (minute.weight - usual)**2 } }.sum
            noise = @slots.values.flatten.sum(0.0, &:noise)
            squares.positive? ? (1 - noise / squares).clamp(0.0, 1.0) : 1.0
          end
        end

        def units(minutes) = minutes.flat_map(&:units)

        # @return [Array<Minute>] those with units
        def slot(start_s, seconds)
          @slots[[start_s, seconds]] ||= (start_s...start_s + seconds).step(MINUTE_S).filter_map { |minute_s| minute(minute_s) }
        end

        def minute(start_s)
          units = @kept[start_s] or return
          Minute.new(start_s:, units:, covered_s: @coverage.seconds(start_s, start_s + MINUTE_S))
        end
      end
    end
  end
end
