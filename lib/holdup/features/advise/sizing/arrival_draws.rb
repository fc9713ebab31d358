# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Arrivals for replays, drawn from those that were recorded: which second has how many units is what
      # happened; where in its second a unit came is drawn. A load that is larger or smaller has the same
      # seconds with more or fewer units.
      class ArrivalDraws
        # Parts of minutes of which a peak consists at least.
        PARTS = 4
        # Minutes that are looked at for one with as many units.
        TRIES = 8
        # Rates that differ less are the same.
        ALIKE = 1e-3

        # Whether one of these minutes was recorded whole.
        def self.enough?(minutes)
          minutes.any? { |minute| minute.whole? && minute.count.positive? }
        end

        # @param minutes [Array<Recording::ArrivalTimes::HostMinute>] see enough?
        # @param together [Float] see Recording::ArrivalTimes
        def initialize(minutes, together: 0.0)
          @minutes = minutes.select { |minute| minute.whole? && minute.count.positive? }
          @together = together
        end

        # @param rate [Float] units per second in all
        # @return [Array<Float>] ns of so many arrivals in the shape of the busiest minutes, ascending
        def peak(rate, count, random)
          found = []
          begin_s = 0.0
          length_s = [count / rate / PARTS, MINUTE_S].min.ceil
          while found.size < count
            minute = busiest[random.rand(busiest.size)]
            from = (length_s < MINUTE_S) ? random.rand(MINUTE_S) : 0
            seconds(minute, from, length_s, rate * MINUTE_S / minute.count, random).each do |times|
              found.concat(times.map { |at| begin_s + at })
              begin_s += 1
            end
          end
          at_rate(found.first(count), rate)
        end

        # @param minute [Recording::ArrivalTimes::HostMinute]
        # @param length_s [Numeric] how much of its recorded part
        # @param factor [Float] 1.1: 10 % more units than there were
        # @return [Array<Float>] ns since the start of that part, ascending
        def minute(minute, length_s, factor, random)
          length_ns = length_s * NS
          from_s = minute.from_s.floor
          some = seconds(minute, from_s, [length_s.ceil, MINUTE_S - from_s].min, factor, random)
          found = some.each_with_index.flat_map { |times, index| times.map { |at| (index + at) * NS } }
          found.select { |at_ns| at_ns < length_ns }
        end

        # @param count [Numeric] of units
        # @return [Recording::ArrivalTimes::HostMinute] one of those with about as many
        def like(count, random)
          drawn = Array.new(TRIES) { @minutes[random.rand(@minutes.size)] }
          drawn.min_by { |minute| (minute.count - count).abs }
        end

        private

        def busiest
          @busiest ||= begin
            most = @minutes.map(&:count).max
            @minutes.select { |minute| minute.count >= Traffic::NEARLY_PEAK * most }
          end
        end

        def mean(minute) = minute.count.fdiv(MINUTE_S)

        # @return [Array<Array<Float>>] parts of these seconds, ascending; a minute begins anew after its end
        def seconds(minute, from, length_s, factor, random)
          Array.new(length_s) do |index|
            second = (from + index) % MINUTE_S
            units = minute.seconds[second]
            units = scaled(minute, second, factor, random) if (factor - 1).abs > ALIKE
            places(units, random)
          end
        end

        # Fewer: each stays with that probability. More: further ones are as likely as that part of the minute
        # was busy, as far as that was not chance.
        def scaled(minute, second, factor, random)
          units = minute.seconds[second]
          return units.times.count { random.rand < factor } if factor < 1
          mean = mean(minute)
          likely = mean + trust * (cells(minute)[second / cell_s].fdiv(cell_s) - mean)
          units + poisson((factor - 1) * likely, random)
        end

        # Share of the differences between the cells of minutes that is not chance.
        def trust
          @trust ||= begin
            squares = @minutes.sum do |minute|
              cells(minute).sum { |units| (units - mean(minute) * cell_s)**2 }
            end
            by_chance = @minutes.sum(&:count)
            squares.zero? ? 0.0 : [1 - by_chance / squares, 0.0].max
          end
        end

        # Seconds over which it shows how busy a part of a minute was.
        def cell_s = ClosedLoad::CELL_S

        def cells(minute)
          @cells ||= {}.compare_by_identity
          @cells[minute] ||= minute.seconds.each_slice(cell_s).map(&:sum)
        end

        def poisson(mean, random)
          count = 0
          at = -Math.log(1 - random.rand)
          while at < mean
            count += 1
            at -= Math.log(1 - random.rand)
          end
          count
        end

        # Units that came together have the same tenth of the second (Blackwell and MacQueen's urn: a pair is
        # together with the probability that was measured).
        def places(units, random)
          return [] if units.zero?
          alone = @together.zero? ? Float::INFINITY : (1 - @together) / @together
          found = []
          units.times do |before|
            join = random.rand * (before + alone) < before if @together.positive?
            found << (join ? near(found[random.rand(before)], random) : random.rand)
          end
          found.sort
        end

        def near(place, random)
          tenth = (place * ArrivalCounts::TENTHS).floor
          (tenth + random.rand) / ArrivalCounts::TENTHS
        end

        # Parts of minutes have a little more or less than the rate: their times are stretched.
        def at_rate(found, rate)
          stretch = found.size / rate / [found.last, Float::MIN].max
          found.map { |at_s| at_s * stretch * NS }
        end
      end
    end
  end
end
