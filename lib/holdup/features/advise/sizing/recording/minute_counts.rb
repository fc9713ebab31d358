# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class Recording
      end

      # The warm parts of windows, and the number of units in each minute. Where several processes began, the
      # recorded single units show which part of a window came from warm ones.
      # In longer windows (of long spans or old data) they also show which minutes have units, so results do
      # not depend on the windows that happen to be read.
      class Recording::MinuteCounts
        BLOCK_S = SampleBlock::SECONDS
        # Sums that single units have as well; the other sums are divided by the number of units.
        FIELDS = {
          running: :running_ns, stalled: :stalled_ns, idle: :idle_ns, wall: :wall_ns, queued: :queued_ns,
          cpu_ns: :cpu_ns, gc_ns: :gc_ns, acquisitions: :acquisitions
        }.freeze
        # Share of a window's units: if single units stand for more, none is missing.
        ALL = 0.9

        Minute = Data.define(:start_s, :units, :covered_s) do
          def weight = units.sum(0.0, &:weight)

          # Variance of the weight, because not all units are recorded.
          def noise
            units.sum(0.0) { |unit| unit.weight * (unit.weight - 1) }
          end

          # @return [Float] standard deviation of the weight as a share of it
          def error
            Math.sqrt([noise, 0.0].max) / weight
          end
        end

        # @param unit_samples [Array<UnitSample>] of these units, also of the first minutes of processes
        def initialize(unit_samples, boots)
          @boots = boots
          @coverage = Analysis::MeasuredTime.of(unit_samples)
          @kept = unit_samples.group_by { |unit| minute_of(unit) }
          @blocks = unit_samples.to_set { |unit| SampleBlock.start_of(unit.start_ns) }
          @slots = {}
          @slot_units = {}
        end

        # @return [Array<Window>] the part of them that belongs to warm processes
        def warm(windows)
          windows.filter_map do |window|
            (window.seconds <= MINUTE_S && warm?(window)) ? window : part(window)
          end
        end

        # @param windows [Array<Window>] see warm
        # @return [Hash{Integer => Numeric}] start of a minute => units that ended in it, also of processes
        #   that were not warm yet, ascending
        def counts(windows)
          slots = windows.group_by { |window| [window.start_s, window.seconds] }
          slots.each_with_object(Hash.new(0)) { |((start_s, seconds), same), all|
            spread(start_s, seconds, same.sum(&:count)).each { |minute_s, count| all[minute_s] += count }
          }.sort.to_h
        end

        # @return [Minute, nil] the single units that ended in that minute
        def singly(minute_s)
          units = @kept[minute_s]
          units && Minute.new(start_s: minute_s, units:, covered_s: nil)
        end

        private

        def minute_of(unit)
          unit.end_ns / NS / MINUTE_S * MINUTE_S
        end

        def warm?(window)
          @boots.warm?(window.start_s, window.end_s)
        end

        def counts?(unit)
          warm_minute?(minute_of(unit)) || @boots.warm_unit?(unit)
        end

        def warm_minute?(start_s)
          @boots.warm?(start_s, start_s + MINUTE_S)
        end

        # A window without recorded units takes the share of others of that time; without those, it counts as
        # a whole.
        def part(window)
          by_series = slot_units(window.start_s, window.seconds)
          own, kept = by_series.fetch(window.series) { by_series.fetch(nil) }
          return (window if warm?(window)) if own.empty?
          return if kept.empty?
          (kept.size == own.size) ? window : scaled(window, own, kept)
        end

        # Windows of many series have the same time.
        # @return [Hash{Series, nil => Array(Array<UnitSample>, Array<UnitSample>)}] units of that time, and
        #   those of them that count; under nil of all series
        def slot_units(start_s, seconds)
          @slot_units[[start_s, seconds]] ||= begin
            units = slot(start_s, seconds).flat_map(&:units)
            groups = {nil => units, **units.group_by(&:series)}
            groups.transform_values { |own| [own, own.select { |unit| counts?(unit) }] }
          end
        end

        def scaled(window, all, kept)
          whole = share(all, kept) { 1 }
          shares = FIELDS.transform_values do |field|
            share(all, kept) { |unit| unit.public_send(field).to_i } || whole
          end
          shares.default = whole
          histograms = window.histograms.to_h do |name, one|
            [name,
              Histogram::CountAndSum.new(count: (one.count * whole).round,
                sum: (one.sum * shares[name]).round)]
          end
          window.with(count: (window.count * whole).round, errors: (window.errors * whole).round, histograms:,
            sums: window.sums.to_h { |name, sum| [name, (sum * shares[name]).round] })
        end

        def share(all, kept)
          part, whole = [kept, all].map { |units| units.sum(0.0) { |unit| unit.weight * yield(unit) } }
          whole.positive? ? part / whole : nil
        end

        def spread(start_s, seconds, count)
          return {start_s => count / warm_share(start_s, seconds)} if seconds <= MINUTE_S
          minutes = slot(start_s, seconds).select { |minute| warm_minute?(minute.start_s) }
          others = unread(start_s, seconds)
          return evenly(others, count) if minutes.empty?
          known_counts = likely(minutes)
          known = known_counts.values.sum
          complete = others.empty? || known >= ALL * count
          return known_counts.transform_values { |weight| weight * count / known } if complete
          known_counts.merge(evenly(others, count - known)) { |_, *both| both.sum }
        end

        # Share of the units of a minute that count.
        def warm_share(start_s, seconds)
          return 1 if @boots.warm?(start_s, start_s + seconds)
          units = slot(start_s, seconds).flat_map(&:units)
          (units.empty? ? nil : share(units, units.select { |unit| counts?(unit) }) { 1 }) || 1
        end

        # The other minutes: a long span has single units of some blocks only.
        def unread(start_s, seconds)
          minutes = (start_s...start_s + seconds).step(MINUTE_S)
          minutes.reject { |minute_s| @blocks.include?(minute_s / BLOCK_S * BLOCK_S) }
        end

        def evenly(minutes, count)
          minutes.to_h { |minute_s| [minute_s, count.fdiv(minutes.size)] }
        end

        # Chance makes minutes differ more than they did if only some units are recorded: this removes that
        # excess.
        def likely(minutes)
          minutes.zip(usual(minutes)).to_h do |minute, usual|
            [minute.start_s, usual + trust * (minute.weight - usual)]
          end
        end

        # Units of each minute at an even rate.
        def usual(minutes)
          whole = minutes.sum(&:weight)
          covered_s = minutes.sum(&:covered_s)
          minutes.map { |minute|
            whole * (covered_s.zero? ? 1.0 / minutes.size : minute.covered_s / covered_s)
          }
        end

        # The part of the differences between minutes that is not chance.
        def trust
          @trust ||= begin
            squares = @slots.values.sum(0.0) do |minutes|
              minutes.zip(usual(minutes)).sum(0.0) { |minute, usual| (minute.weight - usual)**2 }
            end
            noise = @slots.values.flatten.sum(0.0, &:noise)
            squares.positive? ? (1 - noise / squares).clamp(0.0, 1.0) : 1.0
          end
        end

        def slot(start_s, seconds)
          @slots[[start_s, seconds]] ||= (start_s...start_s + seconds).step(MINUTE_S).filter_map do |minute_s|
            units = @kept[minute_s]
            covered_s = @coverage&.seconds(minute_s, minute_s + MINUTE_S)
            Minute.new(start_s: minute_s, units:, covered_s:) if units
          end
        end
      end

      # How many hosts recorded in each minute: one that began late, or ended early, had no part in the load
      # of the others' time.
      class Recording::HostCounts
        # @param lives [Hash{String => Analysis::MeasuredTime}] when each host had a process
        # @param windows [Array<Window>] of the units: show hosts of which nothing else is known
        # @param measured_time [Analysis::MeasuredTime, nil] of all hosts together
        def initialize(lives, windows, measured_time)
          others = windows.group_by(&:host).except(nil, *lives.keys)
          seen = others.values.map do |own|
            Analysis::MeasuredTime.of_any(own.map { |window| [window.start_s, window.end_s] })
          end
          @hosts = lives.values + seen
          @measured_time = measured_time
          @at = {}
        end

        # @return [Float] mean number in the recorded part of that minute, at least one
        def at(minute_s)
          @at[minute_s] ||= begin
            from_s, to_s = recorded(minute_s)
            there_s = @hosts.sum { |host| host.seconds(from_s, to_s) }
            [there_s / (to_s - from_s), 1.0].max
          end
        end

        private

        # All of it where no single unit shows which part was recorded.
        def recorded(minute_s)
          whole = [minute_s, minute_s + MINUTE_S]
          part = @measured_time&.cut(*whole)
          (part && !part.empty?) ? [part.from_s, part.to_s] : whole
        end
      end
    end
  end
end
