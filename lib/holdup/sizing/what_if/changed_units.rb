# frozen_string_literal: true

module Holdup
  module Sizing
    # What a change makes of units: some are gone or come more often, some take the GVL less often, some are
    # told apart.
    class WhatIf::ChangedUnits
      # One further acquisition stays.
      LEAST = 1

      # @param change [WhatIf::WhatIfChange]
      def initialize(change)
        @change = change
      end

      # @param part [Traffic]
      # @return [Traffic]
      def changed(part)
        return part unless @change.without || @change.halved || @change.mix.any?
        factors = factors(part)
        part.map { |profile| weighted(halved(profile), factors) unless @change.removes?(profile.series.name) }
      end

      # @param trace [Trace]
      # @param profiles [Array<UnitSample>] whom its units were drawn from
      # @param candidate [Candidate]
      # @return [Trace]
      def marked(trace, profiles, candidate)
        return trace unless @change.marks?
        Trace.new(
          trace.units.zip(profiles).map { |unit, profile|
            @change.mark(unit, profile.series.name,
              candidate)
          }, company: trace.company
        )
      end

      # @param part [Traffic]
      # @return [Array<(Traffic, Float)>] the units of each group of processes, and their share; empty with
      #   one group
      def groups(part)
        pool = @change.own_pool
        return [] unless pool&.apart?
        [false, true].map { |own|
          part.map { |profile|
            profile if File.fnmatch?(pool.name, profile.series.name) == own
          }
        }
          .map { |units| [units, units.weight / part.weight] }
      end

      private

      def halved(profile)
        return profile unless @change.halves?(profile.series.name)
        profile.with(acquisitions: [profile.acquisitions / 2, LEAST].max)
      end

      def weighted(profile, factors)
        factors.empty? ? profile : profile.with(weight: profile.weight * factors.fetch(glob(profile)))
      end

      def glob(profile)
        @change.mix.keys.find { |glob| File.fnmatch?(glob, profile.series.name) }
      end

      # By how much more often those of each glob come, and (nil) all others.
      def factors(part)
        return {} if @change.mix.empty?
        shares = part.shares { |profile| glob(profile) }
        wanted = {nil => 1 - @change.mix.values.sum, **@change.mix}
        shares.to_h { |glob, share| [glob, wanted.fetch(glob) / share] }
      end
    end
  end
end
