# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Units to replay, drawn from recorded ones: at the rate of the busiest minutes, or as they came. Also
      # of a part of the recording, for intervals (see Sufficiency::RecordingBootstrap).
      class Traffic
        UNITS = 10_000
        # Load varies from minute to minute, and neighbouring minutes are alike: blocks are the longest of
        # which the recording has as many. From fewer, intervals are too narrow: of a steady minute, 90 %
        # intervals from two blocks hold the true mean in 50 % of the trials, from blocks of ten seconds in 80
        # %; of 25 seconds from blocks of five seconds in 80 %. If the load swings for minutes, both hold it
        # less often.
        BLOCK_S = 600
        FEWEST_BLOCKS = {BLOCK_S => 6, MINUTE_S => 4, 10 => 6, 5 => 1}.freeze
        # Parts of a minute are blocks only with as many single units, which say how many it had.
        FEWEST_UNITS = 100
        # Share of the minutes that have at most the rate of the peak.
        PEAK = 0.95
        # The peak is replayed with its own mix from this difference on.
        MIX = 0.1
        # Share of the time with the GVL that units of the busiest block want from which another one is as
        # busy.
        NEARLY_PEAK = 0.8

        attr_reader :blocks, :block_s, :pools, :concurrent_units

        # Share of the units that came in minutes of which arrivals were counted, from which all have the
        # shape of these: of many hosts, and of longer times, only some minutes are read. Else units come
        # independently of each other.
        COUNTED = 0.1

        # @param arrivals [Hash{Integer => Numeric}] start of a minute => units that started in it on all
        #   hosts, as if it had been recorded whole
        # @param covered [Hash{Integer => Numeric}] start of a minute => seconds, of those that were not: they
        #   count for that part
        # @param hosts [Hash{Integer => Numeric}] start of a minute => hosts that recorded in it, if more than
        #   one: a minute of two hosts counts twice as much as one of a single host
        # @param times [Recording::ArrivalTimes, nil] when units came within these minutes
        # @param speed [SpeedEffect] of the machines on the units: each minute is replayed at its own
        def self.of(unit_samples, arrivals, covered: {}, hosts: {}, times: nil, pools: ThreadPools::ONE,
          concurrent_units: nil, speed: SpeedEffect::NONE)
          there = arrivals.keys.to_h { |at_s| [at_s, hosts.fetch(at_s, 1)] }
          most = there.values.max
          rates = arrivals.to_h { |at_s, count| [at_s, count.fdiv(MINUTE_S * there.fetch(at_s))] }
          block_s = length_of_blocks(unit_samples, rates.keys)
          whole_s = [block_s, MINUTE_S].max
          kept = unit_samples.group_by { |unit_sample| unit_sample.start_ns / NS / whole_s }
          blocks = rates.group_by { |at_s, _| at_s / whole_s }.sort.map do |number, pairs|
            minutes = pairs.sort.to_h
            concurrent_rates = concurrent_units&.rates(there.slice(*minutes.keys)).to_a
            seconds = minutes.keys.map { |at_s| covered.fetch(at_s, MINUTE_S) * there.fetch(at_s) / most }
            TrafficBlock.new(start_s: number * whole_s, rates: minutes.values, seconds:,
              unit_samples: kept.fetch(number, []), concurrent_rates:,
              host_minutes: host_minutes(times, minutes.keys, covered),
              slowness: speed.any? ? minutes.keys.map { |at_s| speed.minute(at_s) } : [])
          end
          if block_s < MINUTE_S
            measured = Analysis::MeasuredTime.of(unit_samples)
            blocks = blocks.flat_map { |minute| minute.in_parts(block_s, measured) }
          end
          new(blocks, block_s:, pools:, concurrent_units:, together: times ? times.together : 0.0, speed:)
        end

        # @param covered [Hash{Integer => Numeric}] see of
        # @return [Array<Array<Recording::ArrivalTimes::HostMinute>>] of each of these minutes
        def self.host_minutes(times, minutes, covered)
          return [] if times.nil?
          minutes.map do |at_s|
            length_s = covered.fetch(at_s, MINUTE_S)
            times.minutes.fetch(at_s, []).map { |one| one.with(length_s:) }
          end
        end

        # @param minutes [Array<Integer>] their starts
        # @return [Integer] seconds
        def self.length_of_blocks(unit_samples, minutes)
          few = unit_samples.size < FEWEST_UNITS
          lengths = few ? [BLOCK_S, MINUTE_S] : FEWEST_BLOCKS.keys
          fitting = lengths.find do |length_s|
            starts = (length_s < MINUTE_S) ? unit_samples.map { |unit| unit.start_ns / NS } : minutes
            starts.map { |at_s| at_s / length_s }.uniq.size >= FEWEST_BLOCKS.fetch(length_s)
          end
          fitting || lengths.last
        end
        private_class_method :host_minutes, :length_of_blocks

        # @param minutes [Array<(Numeric, Numeric)>] rate of each, and how many of its seconds count
        # @return [Numeric, nil] rate in the busiest twentieth of that time
        def self.peak(minutes)
          all = minutes.sum(&:last)
          before = 0
          minutes.sort.each do |rate, seconds|
            return rate if before >= PEAK * (all - seconds)
            before += seconds
          end
          nil
        end

        # @param together [Float] see Recording::ArrivalTimes
        # @param counted [Boolean] whether units come as they were counted
        # @param speed [SpeedEffect] of the machines on the units
        # @param sums [BlockSums] of the traffic that has the same blocks
        def initialize(blocks, block_s: BLOCK_S, pools: ThreadPools::ONE, concurrent_units: nil,
          together: 0.0, counted: true, speed: SpeedEffect::NONE, sums: BlockSums.new(pools, speed))
          @blocks = blocks.reject { |block| block.unit_samples.empty? || sums.weight(block).zero? }
          @block_s = block_s
          @pools = pools
          @concurrent_units = concurrent_units
          @together = together
          @counted = counted
          @speed = speed
          @sums = sums
        end

        # @param blocks [Array<TrafficBlock>] any of these, also several times
        def with(blocks)
          Traffic.new(blocks, block_s:, pools:, concurrent_units:, together: @together, counted: @counted,
            speed: @speed, sums: @sums)
        end

        # @return [Traffic] the same, but units of a minute come independently of each other
        def independent
          return self unless arrival_draws
          @independent ||=
            Traffic.new(blocks, block_s:, pools:, concurrent_units:, counted: false, speed: @speed,
              sums: @sums)
        end

        # The result has as many blocks, drawn with replacement.
        def resampled(random)
          with(Array.new(blocks.size) { blocks[random.rand(blocks.size)] })
        end

        # @yieldreturn [UnitSample, nil] the changed unit; nil removes it, and the rate falls
        def map
          changed = blocks.map do |block|
            kept = block.unit_samples.filter_map { |unit_sample| yield unit_sample }
            share = weight_of(kept) / weight_of(block.unit_samples)
            block.with(unit_samples: kept, rates: block.rates.map { |rate| rate * share },
              own_weight: block.own_weight && block.own_weight * share)
          end
          Traffic.new(changed, block_s:, pools:, concurrent_units:, together: @together, counted: @counted,
            speed: @speed)
        end

        # @param factor [Float] by which units hold the GVL longer
        # @return [Traffic]
        def slowed(factor)
          return self if factor == 1
          map { |unit_sample| unit_sample.with(running_ns: (unit_sample.running_ns * factor).round) }
        end

        def empty? = blocks.empty?

        def unit_samples = blocks.flat_map(&:unit_samples)

        # @return [Float] units per second and host in the busiest twentieth of the time
        def peak_rate
          @peak_rate ||= Traffic.peak(minutes.map { |rate, _, seconds| [rate, seconds] }) || 0.0
        end

        # What a host was seen to serve, in units of the usual mix: in the busiest twentieth of the time, and
        # all the time.
        # @return [Array<Float>] per second
        def served
          [peak_minutes.empty? ? peak_rate : Traffic.peak(usual_minutes), mean_rate]
        end

        # @return [Float] against the machine's mean speed, how much more could be served in its fastest
        #   minute: 1.25: 25 %
        def fastest
          slowness = blocks.flat_map(&:slowness)
          slowness.empty? ? 1.0 : 1 / @speed.held_factor(slowness.min)
        end

        # @return [Float] units of the busiest minute against the mean of as long a time
        def swings
          units = blocks.flat_map do |block|
            own = block.minutes.map { |rate, _, seconds| rate * seconds.fdiv(MINUTE_S) }
            own.each_with_index.map { |count, index| [block.start_s / MINUTE_S + index, count] }
          end
          by_minute = units.group_by(&:first).values.map { |same| same.sum(&:last) }
          by_minute.max / [mean_rate, Float::MIN].max
        end

        # The busiest twentieth of the time wanted so much more time with the GVL than `peak_rate` units of
        # the usual mix: 0.1: 10 % more; negative: less.
        def mix_at_peak
          return 0.0 unless peak_rate.positive?
          Traffic.peak(usual_minutes) / peak_rate - 1
        end

        # Minutes that are the peak where their mix differs from that of the whole span.
        # @return [Array<Integer>] their starts; empty: the peak has the mix of all, or too few single units
        def peak_minutes
          @peak_minutes ||= peak_apart? ? starts_of(busiest) : []
        end

        # @return [ArrivalDraws, nil] nil: units come independently of each other
        def arrival_draws
          return @arrival_draws if defined?(@arrival_draws)
          counted = blocks.sum { |block| block.counted_share * @sums.weight(block) }
          host_minutes = blocks.flat_map { |block| block.host_minutes.flatten }.uniq
          known = @counted && weight.positive? && counted >= COUNTED * weight &&
            ArrivalDraws.enough?(host_minutes)
          @arrival_draws = (ArrivalDraws.new(host_minutes, together: @together) if known)
        end

        def mean_rate
          MINUTE_S * weight / blocks.sum { |block| block.seconds.sum }
        end

        # @return [Integer] number of minutes, also of those that were recorded in part
        def size_in_minutes
          starts = blocks.map { |block| block.start_s / MINUTE_S }
          (block_s < MINUTE_S) ? starts.uniq.size : blocks.sum { |block| block.rates.size }
        end

        # @return [Float] units of the other kind per second and host
        def concurrent_rate
          return 0.0 if blocks.empty?
          minutes.sum { |_, concurrent_rate, seconds| concurrent_rate * seconds } / minutes.sum(&:last)
        end

        def concurrent_load
          concurrent_units ? concurrent_units.load(concurrent_rate) : ConcurrentUnits::NONE
        end

        # @return [Float] number of units that it represents
        def weight
          @weight ||= blocks.sum(0.0) { |block| @sums.weight(block) }
        end

        # Shares of all units, by the key that the block returns for each.
        def shares
          grouped = blocks.flat_map(&:scaled).group_by { |unit_sample, _| yield unit_sample }
          grouped.transform_values { |same| same.sum(&:last) / weight }
        end

        # Mean of a unit sample's field over all units.
        def mean_of(field)
          units = blocks.sum { |block| @sums.weight(block) }
          blocks.sum { |block| @sums.of(block, field) } / [units, Float::MIN].max
        end

        # @param rate [Float] units per second
        # @param even [Boolean] with the mean demand of all units, see WeightedSample#spread
        # @return [Trace] at that rate, units of all times and speeds of the machine mixed: a slow minute
        #   need not be a busy one. Concurrent units come at their mean rate
        def peak(seed: 1, rate: peak_rate, units: UNITS, even: false)
          draws.peak(seed, rate, units, even)
        end

        # The units that `peak` draws, in its order.
        def drawn(seed: 1, rate: peak_rate, units: UNITS, even: false)
          draws.drawn(seed, rate, units, even)
        end

        # @return [Trace] minute by minute as recorded, or every nth minute, each with units of its own block
        def recorded(seed: 1, units: 2 * UNITS)
          draws.recorded(seed, units)
        end

        private

        def minutes = @minutes ||= blocks.flat_map(&:minutes)

        # Units of the usual mix that want as much time with the GVL, and seconds.
        def usual_minutes
          @usual_minutes ||= blocks.zip(factors).flat_map do |block, factor|
            block.minutes.map { |rate, _, seconds| [rate * factor, seconds] }
          end
        end

        # Whether the peak wants another amount of time with the GVL than the usual mix at the highest rate,
        # or its units do.
        def peak_apart?
          return false if empty? || busiest.sum { |block, _| block.unit_samples.size } < FEWEST_UNITS
          units = busiest.sum { |block, _| block.weight }
          each = busiest.sum { |block, factor| factor * block.weight } / units
          [mix_at_peak, each - 1].any? { |difference| difference.abs > MIX }
        end

        # @return [Array<(TrafficBlock, Float)>] and their factors, see MixDemand
        def busiest
          @busiest ||= begin
            wanted = blocks.zip(factors).map { |block, factor| factor * block.mean_rate }
            blocks.zip(factors, wanted).filter_map do |block, factor, one|
              [block, factor] if one >= NEARLY_PEAK * wanted.max
            end
          end
        end

        def factors = @factors ||= MixDemand.new(blocks).factors

        # @return [Array<Integer>] of their minutes
        def starts_of(some)
          whole_s = [block_s, MINUTE_S].max
          starts = some.map { |block, _| block.start_s / whole_s * whole_s }.uniq
          starts.flat_map { |start_s| (start_s...start_s + whole_s).step(MINUTE_S).to_a }
        end

        def weight_of(unit_samples)
          unit_samples.sum(0.0, &:weight)
        end

        def draws
          @draws ||= UnitDraws.new(self, @sums)
        end

        # An interval of a recording. `rates`: units per second and host in each minute; `seconds` of each
        # that count; `unit_samples`: its recorded units; `concurrent_rates`: units of the other kind,
        # likewise, empty without any, see ConcurrentUnits; `own_weight`: of a part of a minute, which has the
        # minute's rate (its own is mostly chance), but its own units; `host_minutes`: when units came in each
        # minute, on each host, empty where they were not counted; `slowness`: of the machines in each minute,
        # empty where it does not matter, see SpeedEffect
        TrafficBlock = Data.define(:start_s, :rates, :seconds, :unit_samples, :concurrent_rates,
          :own_weight, :host_minutes, :slowness) do
          def initialize(start_s:, rates:, unit_samples:, seconds: rates.map {
            MINUTE_S
          }, concurrent_rates: [],
            own_weight: nil, host_minutes: [], slowness: [])
            super
          end

          # @return [Float] share of its units whose arrivals were counted
          def counted_share
            return 0.0 if host_minutes.empty?
            counted = rates.zip(host_minutes).sum { |rate, own| own.empty? ? 0.0 : rate }
            counted / [rates.sum, Float::MIN].max
          end

          # Units of an interval as long as a second for each whole minute.
          def weight
            own_weight || rates.zip(seconds).sum(0.0) { |rate, seconds| rate * seconds.fdiv(MINUTE_S) }
          end

          # @param part_s [Integer]
          # @param measured [Analysis::MeasuredTime] of all units
          # @return [Array<TrafficBlock>] of a minute, those with units
          def in_parts(part_s, measured)
            parts = unit_samples.group_by { |unit_sample| unit_sample.start_ns / NS / part_s * part_s }.sort
            lengths = parts.map { |at_s, _| measured.seconds(at_s, at_s + part_s) }
            all = unit_samples.sum(0.0, &:weight)
            parts.zip(lengths).map do |(at_s, own), length|
              with(start_s: at_s, unit_samples: own, seconds: [seconds.first * length / lengths.sum],
                own_weight: weight * own.sum(&:weight) / all)
            end
          end

          def scaled
            factor = weight / unit_samples.sum(0.0, &:weight)
            unit_samples.map { |unit_sample| [unit_sample, unit_sample.weight * factor] }
          end

          # @return [Float] units per second and host
          def mean_rate
            rates.zip(seconds).sum { |rate, seconds| rate * seconds } / seconds.sum
          end

          # @return [Array<(Float, Float, Numeric)>] rate, concurrent rate and seconds of each
          def minutes
            rates.zip(concurrent_rates, seconds).map { |own, other, seconds| [own, other.to_f, seconds] }
          end
        end

        # How much time with the GVL a unit of each block takes because of the block's mix of endpoints,
        # against a unit of all blocks. The part of the differences that is chance does not count.
        class MixDemand
          # @param blocks [Array<TrafficBlock>]
          def initialize(blocks)
            @blocks = blocks
            @weights = blocks.map(&:weight)
            units = blocks.flat_map(&:unit_samples).group_by(&:series)
            @usual = units.transform_values do |same|
              WeightedSample.mean(same.map { |one| [one.running_ns, one.weight] })
            end
          end

          # @return [Array<Float>] of each block: 1.1: 10 % more
          def factors
            means = @blocks.map { |block| mean(block) }
            whole = weighted(means)
            squares = weighted(means.map { |mean| (mean - whole)**2 })
            noise = weighted(@blocks.zip(means).map { |block, mean| noise(block, mean) })
            trust = squares.positive? ? [1 - noise / squares, 0.0].max : 0.0
            means.map { |mean| 1 + trust * (mean / whole - 1) }
          end

          private

          def weighted(values)
            WeightedSample.mean(values.zip(@weights))
          end

          def mean(block)
            WeightedSample.mean(block.unit_samples.map { |unit| [@usual.fetch(unit.series), unit.weight] })
          end

          # Variance of the mean.
          def noise(block, mean)
            squares = block.unit_samples.sum { |unit| (unit.weight * (@usual.fetch(unit.series) - mean))**2 }
            squares / block.unit_samples.sum(&:weight)**2
          end
        end

        # Figures of blocks and units that all resampled parts of a recording share.
        class BlockSums
          # Logarithms of speeds are rounded to 2 %, so that units are packed a few times and not for each
          # minute.
          SPEED_STEP = 0.02

          # @param speed [SpeedEffect]
          def initialize(pools, speed = SpeedEffect::NONE)
            @pools = pools
            @speed = speed
            @weights = {}.compare_by_identity
            @scaled = {}.compare_by_identity
            @sums = Hash.new { |all, field| all[field] = {}.compare_by_identity }
            @patterns = Hash.new { |all, steps| all[steps] = {}.compare_by_identity }
            @slowness = {}.compare_by_identity
            @samples = {}.compare_by_identity
            @means = Hash.new { |all, field| all[field] = {}.compare_by_identity }
            @noises = Hash.new { |all, field| all[field] = {}.compare_by_identity }
          end

          # See TrafficBlock.
          def weight(block)
            @weights[block] ||= block.weight
          end

          # See TrafficBlock.
          def scaled(block)
            @scaled[block] ||= block.scaled
          end

          # The sum of a field over all units of the block.
          def of(block, field)
            @sums[field][block] ||= scaled(block).sum do |unit_sample, weight|
              unit_sample.public_send(field) * weight
            end
          end

          # @return [WeightedSample] of its recorded units
          def sample(block)
            @samples[block] ||= WeightedSample.new(block.unit_samples.map { |unit| [unit, unit.weight] })
          end

          # The mean of a field over its recorded units.
          def mean(block, field)
            @means[field][block] ||=
              WeightedSample.mean(block.unit_samples.map { |unit| [unit.public_send(field), unit.weight] })
          end

          # Variance of that mean, because not all units are recorded.
          def noise(block, field)
            @noises[field][block] ||= begin
              mean = mean(block, field)
              squares = block.unit_samples.sum do |unit|
                unit.weight * (unit.weight - 1) * (unit.public_send(field) - mean)**2
              end
              squares / block.unit_samples.sum(&:weight)**2
            end
          end

          # @param slowness [Float, nil] of the minute in which it is replayed; nil: as it was recorded
          def pattern(unit_sample, slowness = nil)
            steps = slowness ? ((slowness - slowness_of(unit_sample)) / SPEED_STEP).round : 0
            @patterns[steps][unit_sample] ||= begin
              unit = steps.zero? ? unit_sample : @speed.slowed(unit_sample, steps * SPEED_STEP)
              Trace::DrawnTrace::UnitPattern.new(
                Trace::TraceUnit.of(unit, 0, pool: @pools.index(unit_sample))
              )
            end
          end

          private

          def slowness_of(unit_sample)
            @slowness[unit_sample] ||= @speed.slowness(unit_sample)
          end
        end

        class UnitDraws
          # Means that differ less are the same.
          ALIKE = 1e-6
          # A full pool gets less done than it is asked for, so its units arrive over a longer time.
          LONGER = 2
          # Whole minutes that have more units than wanted, by this factor, are replaced by parts of MINUTES.
          TOO_MANY = 1.2
          MINUTES = 4
          # A minute to draw. `sample`: of its units; `rate` and `others`: units per second, in question and
          # concurrent; `host_minutes` and `slowness`: see TrafficBlock
          DrawnMinute = Data.define(:sample, :rate, :others, :seconds, :host_minutes, :slowness) do
            # Units to replay.
            def work = [rate, others / ConcurrentUnits::MOST].max * seconds
          end

          def initialize(traffic, sums)
            @traffic = traffic
            @sums = sums
          end

          # The last one is kept: comparisons replay it under several settings.
          def peak(*key)
            @peaks = {key => new_peak(*key)} unless @peaks&.key?(key)
            @peaks.fetch(key)
          end

          # The last draw is kept, too.
          # @return [Array<UnitSample>]
          def drawn(*key)
            draw(*key).first
          end

          def recorded(seed, units)
            random = Random.new(seed)
            start_ns = 0
            own = []
            spans = minutes(units).map do |one|
              end_ns = start_ns + one.seconds * NS
              own.concat(arrived(one, start_ns...end_ns, random))
              length_ns = end_ns - start_ns
              start_ns = end_ns
              [one.others, length_ns]
            end
            units, arrivals, slowness = own.transpose
            trace(units.to_a, arrivals.to_a, spans, seed, slowness: slowness.to_a)
          end

          private

          def new_peak(seed, rate, units, even)
            spans = [[@traffic.concurrent_rate, LONGER * most(rate, units) * NS / rate]]
            trace(*draw(seed, rate, units, even), spans, seed)
          end

          # Unit samples, and the arrival of each (ns).
          def draw(*key)
            @draws = {key => new_draw(*key)} unless @draws&.key?(key)
            @draws.fetch(key)
          end

          def new_draw(seed, rate, units, even)
            random = Random.new(seed)
            at = 0.0
            count = most(rate, units)
            mean_gap_ns = NS / rate
            unit_samples = even ? by_size.spread(count, random) : []
            arrivals = Array.new(count) do |index|
              unit_samples[index] ||= all.draw(random)
              at += gap(mean_gap_ns, random)
            end
            # Users come when they have thought, not when others came.
            arrivals = @traffic.arrival_draws.peak(rate, count, random) if !even && @traffic.arrival_draws
            [unit_samples.freeze, arrivals.freeze]
          end

          # @param slowness [Array<Float, nil>] of the machine for each unit, see BlockSums#pattern
          def trace(unit_samples, arrivals, spans, seed, slowness: [])
            patterns = unit_samples.zip(slowness).map { |unit, slow| @sums.pattern(unit, slow) }
            arrivals = arrivals.map(&:round)
            concurrent_units = @traffic.concurrent_units
            return Trace::DrawnTrace.new(patterns, arrivals) unless concurrent_units
            others = concurrent_units.trace(spans, pools: @traffic.pools, seed:)
            Trace::DrawnTrace.new(patterns, arrivals, concurrent_units: others)
          end

          # Fewer units are drawn if there are many concurrent ones for each of them.
          def most(rate, units)
            concurrent_rate = @traffic.concurrent_rate
            return units if concurrent_rate.zero?
            [units, (ConcurrentUnits::MOST * units * rate / concurrent_rate).ceil].min
          end

          def all
            @all ||= WeightedSample.new(scaled)
          end

          def by_size
            @by_size ||= WeightedSample.new(scaled.sort_by { |unit, _| unit.running_ns })
          end

          def scaled = @traffic.blocks.flat_map { |block| @sums.scaled(block) }

          # Every nth minute, with as many units in all. Of a large host one minute has more: parts of several
          # then.
          def minutes(units)
            nth = (every_minute.sum(&:work) / units).ceil
            chosen = every_minute.each_slice([nth, 1].max).map(&:first)
            (chosen.sum(&:work) > TOO_MANY * units) ? parts(units) : chosen
          end

          def parts(units)
            some = every_minute.each_slice([every_minute.size.ceildiv(MINUTES), 1].max).map(&:first)
            part = units / some.sum(&:work)
            (part < 1) ? some.map { |minute| minute.with(seconds: minute.seconds * part) } : some
          end

          def every_minute
            @every_minute ||= begin
              blocks = whole_minutes
              # Minutes that were put together of parts are others each time.
              sums = blocks.equal?(@traffic.blocks) ? @sums : BlockSums.new(@traffic.pools)
              trust = trust(blocks, sums)
              blocks.flat_map do |block|
                own = sums.sample(block)
                sample = (trust < 1) ? OwnOrAnySample.new(own:, any: all, trust:) : own
                block.minutes.each_with_index.map { |(rate, others, seconds), index|
                  host_minutes = block.host_minutes.fetch(index, [])
                  DrawnMinute.new(sample:, rate:, others:, seconds:, host_minutes:,
                    slowness: block.slowness[index])
                }
              end
            end
          end

          # The mix of a part of a minute is mostly chance: alone at the rate of its minute, a heavy one would
          # make a queue that never was.
          def whole_minutes
            return @traffic.blocks if @traffic.block_s >= MINUTE_S
            minutes = @traffic.blocks.group_by { |block| block.start_s / MINUTE_S }
            minutes.values.map do |parts|
              next parts.first if parts.one?
              seconds = parts.sum { |part| part.seconds.sum }
              parts.first.with(unit_samples: parts.flat_map(&:unit_samples), seconds: [seconds])
            end
          end

          # A rare heavy unit too many in a minute of a sample would make a queue that never was. The
          # differences of all units are what happened.
          # @return [Float] share of the differences between blocks that is not chance, in the time with
          #   the GVL or without
          def trust(blocks, sums)
            units = blocks.flat_map(&:unit_samples)
            return 1.0 if units.sum(&:weight) <= ClosedLoad::SAMPLED * units.size
            weights = blocks.map(&:weight)
            %i[running_ns idle_ns].map { |field| trust_in(field, blocks, weights, sums) }.max
          end

          def trust_in(field, blocks, weights, sums)
            means = blocks.map { |block| sums.mean(block, field) }
            weighted = ->(values) { WeightedSample.mean(values.zip(weights)) }
            whole = weighted.call(means)
            squares = weighted.call(means.map { |mean| (mean - whole)**2 })
            noise = weighted.call(blocks.map { |block| sums.noise(block, field) })
            alike = squares <= (ALIKE * whole)**2
            alike ? 0.0 : [1 - noise / squares, 0.0].max
          end

          # Unit samples with their arrivals, as they came or independently of each other, and the slowness
          # of the machine; nil for the minute's own units.
          def arrived(one, span_ns, random)
            draws = @traffic.arrival_draws
            return minute(one, span_ns, random) if draws.nil? || one.rate.zero?
            hosts = one.host_minutes
            return alike(one, draws, span_ns, random) if hosts.sum(&:count).zero?
            host = hosts[random.rand(hosts.size)]
            factor = one.rate * hosts.sum(&:length_s) / hosts.sum(&:count)
            units = ((factor - 1).abs <= ArrivalDraws::ALIKE) ? whole(host) : []
            units = units.map { |unit, at_ns| [unit, span_ns.begin + at_ns, nil] }
            return units.select { |_, at_ns| at_ns < span_ns.end } if units.any?
            times = draws.minute(host, one.seconds, factor, random)
            times.map { |at_ns| [one.sample.draw(random), span_ns.begin + at_ns, one.slowness] }
          end

          # In a minute of which arrivals were not counted, units come as in one with about as many.
          def alike(one, draws, span_ns, random)
            host = draws.like(one.rate * MINUTE_S, random)
            times = draws.minute(host, one.seconds, one.rate * MINUTE_S / host.count, random)
            times.map { |at_ns| [one.sample.draw(random), span_ns.begin + at_ns, one.slowness] }
          end

          # @return [Array<(UnitSample, Integer)>] all units of that minute, ns after the start of its
          #   recorded part; empty if not all were recorded
          def whole(host)
            own = by_arrival.fetch([host.host, host.start_s], [])
            return [] unless own.size == host.count
            start_ns = (host.start_s + host.from_s) * NS
            times = own.map { |unit| [unit, [arrival_ns(unit) - start_ns, 0].max] }
            times.sort_by.with_index { |(_, at_ns), index| [at_ns, index] }
          end

          def by_arrival
            @by_arrival ||= @traffic.blocks.flat_map(&:unit_samples).group_by do |unit|
              [unit.host, arrival_ns(unit) / NS / MINUTE_S * MINUTE_S]
            end
          end

          def arrival_ns(unit) = unit.start_ns - unit.queued_ns.to_i

          # Unit samples that came independently of each other.
          def minute(one, span_ns, random)
            return [] if one.rate.zero?
            units = []
            mean_gap_ns = NS / one.rate
            end_ns = span_ns.end
            at = span_ns.begin + gap(mean_gap_ns, random)
            while at < end_ns
              units << [one.sample.draw(random), at, one.slowness]
              at += gap(mean_gap_ns, random)
            end
            units
          end

          def gap(mean, random)
            -Math.log(1 - random.rand) * mean
          end

          # Units of a block with that probability, else of the whole recording.
          OwnOrAnySample = Data.define(:own, :any, :trust) do
            def draw(random)
              (random.rand < trust) ? own.draw(random) : any.draw(random)
            end
          end
        end
      end
    end
  end
end
