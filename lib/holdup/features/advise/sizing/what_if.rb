# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # A change against the present: see WhatIfChange. The same units count on both sides, so that removing
      # an endpoint does not improve the others by its own times.
      class WhatIf
        UNITS = Traffic::UNITS / 2

        # `before`: the present, replayed; `measured`: with times measured in the busiest minutes, nil if too
        # few units were recorded
        BeforeAfter = Data.define(:before, :after, :measured) do
          def initialize(before:, after:, measured: nil)
            super
          end
        end

        # The answer. `gain`, `interval`, `named`, `others`: nil where not both sides have times, the last two
        # also where the change treats all units alike; `boots`: WidenedGain, nil where the
        # setting stays; `pools`: {String => BeforeAfter} of PoolThroughput;
        # `bias`: {Symbol => PredictionBias::BiasCorrection}; `misses`: see PredictionBias; `setting`:
        # attributes of the recorded one;
        # `self_test`, `peak`, `warnings`: how exact it is, see AdviceResult
        WhatIfResult = Data.define(:sides, :gain, :interval, :boots, :named, :others, :pools,
          :concurrent_units, :bias, :misses,
          :amdahl, :idle_share, :unsupported, :setting, :self_test, :peak, :warnings) do
          def before = sides.before

          def after = sides.after

          def measured = sides.measured

          def replayed? = !gain.nil?

          # Whether the latest predictions were wrong, beyond chance.
          def wrong_again? = misses >= PredictionBias::WRONG_AGAIN
        end

        def initialize(recommendation, change, rounds: 20, seed: 1)
          @base = recommendation
          @objective = Objective.new(slo: recommendation.objective.slo)
          @change = change
          @units = ChangedUnits.new(change)
          @rounds = rounds
          @seed = seed
        end

        # @return [WhatIfResult] all of it; what follows computes parts of it on demand
        def call
          parts = (replayed? && selective?) ? {named:, others:} : {named: nil, others: nil}
          WhatIfResult.new(sides: sides.with(after:), gain: (gain if replayed?),
            interval: (interval if replayed?), boots: (boots if replayed?), **parts, pools:,
            concurrent_units: concurrent_units?, bias: bias.corrections, misses: bias.misses, amdahl:,
            idle_share:, unsupported:,
            setting: setting&.attributes || {}, **exactness)
        end

        def before = sides.before

        def after
          @after ||= bias_corrected(sides).after
        end

        # Whether both sides have times.
        def replayed?
          before.replayed? && after.replayed?
        end

        # @return [Float] of queued + stalled at the percentile, as a share of the response
        def gain = gain_of(sides)

        # @return [Range<Float>] 90 % of that gain
        def interval = boots ? boots.interval : bootstrapped_gain

        # @return [WidenedGain, nil] what processes of one setting differ by, and what that does to the
        #   interval; nil where none is booted anew
        def boots
          return unless booted_anew?
          return @boots if defined?(@boots)
          hosts = @base.recording.hosts
          spread = Analysis::BootSpread.new(@base.recording.unit_samples, :running).call
          before, after = [@base.now, candidate].map { |one| one.processes * hosts }
          @boots = WidenedGain.by_replays(spread, gain, bootstrapped_gain, before:, after:) do |factor|
            gain_of_boots(factor)
          end
        end

        # Units that the change names, such as those with processes of their own.
        def named
          bias_corrected(measured_too { |name| @change.touches?(name) })
        end

        def others
          bias_corrected(measured_too { |name| !@change.touches?(name) })
        end

        # Whether the change treats some units differently.
        def selective?
          (@change.names - [@change.without]).any? && series.any? { |name| !@change.touches?(name) }
        end

        # @return [Array<String>] names of the change that no recorded unit has
        def unknown
          @change.names.reject { |glob| series.any? { |name| File.fnmatch?(glob, name) } }
        end

        def overruled = @change.overruled(series)

        # See WhatIfChange#unsupported. It is answered all the same, for questions about upgrades.
        def unsupported
          setting ? @change.unsupported(Deployment.new(setting, kind: @base.recording.kind, members: [])) : []
        end

        def setting = @base.recording.setting

        # Whether the change names all recorded units, so that nothing remains to compare.
        def claims_all?
          series.all? { |name| @change.claims?(name) }
        end

        def concurrent_units?
          @base.recording.pools.concurrent_units?
        end

        # Pools that share a process while all of them have work, or (concurrent_units?) at the peak; empty if
        # units or the machine change.
        # @return [Hash{String => BeforeAfter}] of PoolThroughput
        def pools
          return {} unless @change.sizes_only? && @base.recording.pools.several?
          now = @base.now
          before = @base.pools_of(now)
          after = @base.pools_of(candidate)
          known = @base.recording.pools.names.zip(before, after).select(&:all?)
          known.to_h { |name, was, becomes| [name, BeforeAfter.new(before: was, after: becomes)] }
        end

        # Corrects another setting; none if the setting stays.
        def bias
          booted_anew? ? @base.bias : PredictionBias::NONE
        end

        # @return [Integer] threads by Amdahl's law for the units as they are
        def amdahl = @base.amdahl

        def idle_share
          @base.recording.demand.idle_share
        end

        def demand
          @base.estimates.call(@units.changed(traffic))
        end

        private

        def exactness
          {self_test: @base.self_test.as_value, peak: @base.peak_contradiction,
           warnings: @base.recording.warnings}
        end

        def traffic = @base.traffic

        def candidate = @change.candidate(@base.now)

        # Whether another setting is asked for.
        def booted_anew? = candidate != @base.now

        def bootstrapped_gain
          @bootstrapped_gain ||= begin
            bootstrap = Sufficiency::RecordingBootstrap.new(traffic, rounds: @rounds, seed: @seed)
            range = bootstrap.interval(@base.method(:assumption)) do |part, seed|
              gain_of(compare(part, seed, UNITS, round: seed))
            end
            [range.begin, gain].min..[range.end, gain].max
          end
        end

        def gain_of_boots(factor)
          gain_of(compare(traffic, @seed, UNITS, slowed: factor))
        end

        def series
          @series ||= traffic.unit_samples.map { |unit_sample| unit_sample.series.name }.uniq
        end

        def sides
          @sides ||= measured_too { |name| !@change.removes?(name) }
        end

        # @yield [String] whether units of that name count
        def measured_too(&counts)
          found = compare(traffic, @seed, Traffic::UNITS, &counts)
          found.with(measured: @base.as_measured(found.before) { |unit| counts.call(unit.series.name) })
        end

        def gain_of(sides)
          @objective.gain(sides.before, bias.judged(sides.after, before: sides.before))
        end

        def bias_corrected(sides)
          sides.with(after: bias.apply(sides.after, now: @base.now))
        end

        # The block selects by name the units that count.
        # @param slowed [Float] by which they hold the GVL longer after the change
        def compare(part, seed, units, round: nil, slowed: 1.0, &counts)
          counts ||= ->(name) { !@change.removes?(name) }
          draw = {seed:, units:, rate: @base.rate * part.mean_rate / traffic.mean_rate}
          BeforeAfter.new(before: now(part, draw, round, counts),
            after: changed(part.slowed(slowed), draw, round, counts))
        end

        def now(part, draw, round, counts)
          return @base.of_part(part, @base.now, draw, round:) if @change.names.empty?
          forecast = @base.forecast(demand: @base.estimates.call(part, seed: round), rate: draw[:rate],
            round:)
          forecast.call(@base.now, part.peak(**draw), force: true, counted: counted(part, draw, counts))
        end

        def changed(part, draw, round, counts)
          other = @units.changed(part)
          draw = draw.merge(rate: draw[:rate] * @change.factor * other.weight / part.weight)
          forecast = @base.forecast(demand: @base.estimates.call(other, seed: round), rate: draw[:rate],
            limits:, parts: parts(other, round), round:)
          forecast.call(candidate, @units.marked(other.peak(**draw), other.drawn(**draw), candidate),
            force: true, counted: counted(other, draw, counts))
        end

        def parts(other, round)
          @units.groups(other).map { |own, share| [@base.estimates.call(own, seed: round), share] }
        end

        # nil counts all, which is cheaper.
        def counted(part, draw, counts)
          return if @change.names.empty?
          part.drawn(**draw).each_with_index.filter_map do |unit_sample, index|
            index if counts.call(unit_sample.series.name)
          end
        end

        def limits
          @change.vcpus ? @base.limits.with(vcpus: @change.vcpus) : @base.fitted_limits
        end

        # Processes for some units only: by default with as many threads each as the others.
        OwnPool = Data.define(:name, :processes, :threads) do
          def initialize(name:, processes: 1, threads: nil)
            super
          end

          def apart? = true

          def with_others(others)
            others.with(pool: others.with(processes:, threads: threads || others.own_threads, pool: nil,
              other_threads: [], concurrent_threads: []))
          end

          def place(unit, _candidate)
            unit.with(group: 1, pool: 0)
          end
        end

        # Threads for some jobs only, in the same process: a capsule of their own. They share its GVL.
        OwnThreads = Data.define(:name, :threads) do
          def apart? = false

          def with_others(others)
            others.with(threads: others.threads + threads, other_threads: [*others.other_threads, threads])
          end

          def place(unit, candidate)
            unit.with(pool: candidate.other_threads.size)
          end
        end

        # Applies a change to units: removes them, changes their rate, acquisitions or group.
        class ChangedUnits
          # One acquisition remains.
          LEAST = 1

          def initialize(change)
            @change = change
          end

          def changed(part)
            return part unless @change.without || @change.halved || @change.mix.any?
            factors = factors(part)
            part.map do |unit_sample|
              weighted(halved(unit_sample), factors) unless @change.removes?(unit_sample.series.name)
            end
          end

          def marked(trace, unit_samples, candidate)
            return trace unless @change.marks?
            units = trace.units.zip(unit_samples).map do |unit, unit_sample|
              @change.mark(unit, unit_sample.series.name, candidate)
            end
            Trace.new(units, concurrent_units: trace.concurrent_units)
          end

          # @return [Array<(Traffic, Float)>] the units of each group of processes, and their share
          def groups(part)
            pool = @change.own_pool
            return [] unless pool&.apart?
            [false, true].map do |own|
              units = part.map { |unit| unit if File.fnmatch?(pool.name, unit.series.name) == own }
              [units, units.weight / part.weight]
            end
          end

          private

          def halved(unit_sample)
            return unit_sample unless @change.halves?(unit_sample.series.name)
            unit_sample.with(acquisitions: [unit_sample.acquisitions / 2, LEAST].max,
              moments: unit_sample.moments / 2)
          end

          def weighted(unit_sample, factors)
            return unit_sample if factors.empty?
            unit_sample.with(weight: unit_sample.weight * factors.fetch(glob(unit_sample)))
          end

          def glob(unit_sample)
            @change.mix.keys.find { |glob| File.fnmatch?(glob, unit_sample.series.name) }
          end

          # Rate factors of each glob, and (nil) of all others.
          def factors(part)
            return {} if @change.mix.empty?
            shares = part.shares { |unit_sample| glob(unit_sample) }
            wanted = {nil => 1 - @change.mix.values.sum, **@change.mix}
            shares.to_h { |glob, share| [glob, wanted.fetch(glob) / share] }
          end
        end
      end
    end
  end
end
