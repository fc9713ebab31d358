# frozen_string_literal: true

module Holdup
  module Report
    # Reads for whom threads waited, step by step. The store adds up the pairs of each of a few causers, all
    # of them in one read: to find the rows and to build a window of each sum takes most of the time.
    class GvlOverTimeReader
      ALL = Series.new(kind: :request, name: "(all)")
      PAIR_TIME = Queries::LoadSummary::PAIR_TIME
      # Of processes, sums say it.
      HELD_TIME = {histograms: [], numbers: UnitNumbers::RUNNING_STATES}.freeze
      # Pairs of these victims.
      Victims = Data.define(:names) do
        def series?(series) = names.include?(series.name)
      end
      ROLE = Analysis::SettingDifferences::SettingLabels::ROLE
      private_constant :ROLE, :ALL, :PAIR_TIME, :HELD_TIME, :Victims

      # @param series [Analysis::TimeSeries] of the same units, with the steps
      # @param from_s [Integer] of the span that the page is about, as to_s: the summary of a page reads the
      #   pairs of the same span
      # @param filter [Analysis::UnitFilter] who waits; the GVL is that of all
      # @return [Analysis::GvlOverTime]
      def self.call(store, series, from_s:, to_s:, filter:)
        new(store, series, from_s:, to_s:, filter:).call
      end

      def initialize(store, series, from_s:, to_s:, filter:)
        @store = store
        @series = series
        @filter = filter
        @span = [from_s, to_s]
        @step_s = series.step_s
        @from_s = series.at_s.first || 0
        @to_s = series.at_s.any? ? to_s / MINUTE_S * MINUTE_S : 0
      end

      def call
        names = @series.empty? ? [] : strongest
        return nothing if names.empty?
        Analysis::GvlOverTime.new(at_s: @series.at_s, names:, waiting: waiting(names), held: held(names),
          threads: numbers(threads) { |count, _| count.round }, server:)
      end

      private

      def nothing
        Analysis::GvlOverTime.new(at_s: @series.at_s, names: [], waiting: {}, held: {}, threads: [])
      end

      # @return [Hash] options of sums: pairs of which victims
      def victims
        return {} unless @filter.narrow?
        @victims ||= begin
          units = @store.sums(*@span, kinds: Series::UNITS, only: @filter, histograms: [])
          {only: Victims.new(names: units.map { |sum| sum.window.series.name }.to_set)}
        end
      end

      def pairs(from_s, to_s, **options)
        chosen(@store.sums(from_s, to_s, kinds: [:pair], **victims, **PAIR_TIME, **options))
      end

      def chosen(sums) = sums.select { |sum| @filter.setting?(sum.window.setting) }

      def strongest
        causers = pairs(*@span).group_by { |sum| sum.window.series.queue }
        times = causers.except(*Series::NAMELESS.keys).transform_values { |same| ns(same) }
        names = times.select { |_, ns| ns.positive? }.max_by(Analysis::GvlOverTime::STRONGEST, &:last)
        parties(names.map(&:first))
      end

      # @param names [Array<String>] of requests, jobs or threads
      # @return [Array<Analysis::StallPairs::Party>]
      def parties(names)
        return [] if names.empty?
        known = @store.sums(*@span, kinds: [*Series::UNITS, :account], names: globs(names), histograms: [],
          numbers: [])
        kinds = known.to_h { |sum| [sum.window.series.name, sum.window.series.kind] }
        names.map do |name|
          kind = kinds[name] || (name.start_with?(Series::THREAD) ? :account : :request)
          Analysis::StallPairs::Party.new(name:, kind:)
        end
      end

      def globs(names) = names.map { |name| Analysis::UnitFilter.glob_of(name) }

      def ns(sums) = sums.sum { |sum| sum.window.stalled_ns }

      def waiting(names)
        known = waited_for([*names, Analysis::GvlOverTime::NOBODY])
        nobody = known.delete(Analysis::GvlOverTime::NOBODY)
        rest = rest(suffered, [*known.values, nobody])
        layers = {**known, Analysis::GvlOverTime::OTHERS => rest, Analysis::GvlOverTime::NOBODY => nobody}
        layers.transform_values { |steps| numbers(steps) { |ns, index| of_seconds(ns, index) } }
      end

      # @return [Hash{StallPairs::Party => Hash{Integer => Integer}}] ns by start of the step
      def waited_for(parties)
        queues = globs(parties.map(&:name))
        found = steps(of: %i[stalled], kinds: [:pair], apart: :queue, queues:, **victims)
        parties.to_h { |party| [party, found.fetch(party.name, {})] }
      end

      # All that waited, whoever held it: to add up all pairs would take longer than the rest of the page.
      def suffered
        units = @series.stalled_ns
        return units if @filter.narrow?
        threads = steps(of: %i[stalled], kinds: [:account]).fetch(nil, {})
        units.merge(threads) { |_, of_units, of_threads| of_units + of_threads }
      end

      # @param options [Hash] of Reader#step_sums
      # @yieldparam setting [Setting] one of the chosen ones
      # @yieldreturn [Boolean] whether it counts
      # @return [Hash{String => Hash{Integer => Integer}}] by name and start of the step
      def steps(**options)
        found = @store.step_sums(@from_s, @to_s, step_s: @step_s, **options)
        found.each_with_object({}) do |((name, setting), steps), names|
          counts = @filter.setting?(setting) && (!block_given? || yield(setting))
          next unless counts
          (names[name] ||= {}).update(steps) { |_, one, other| one + other }
        end
      end

      # @return [Hash{Integer => Integer}] ns by start of the step
      def rest(whole, known)
        whole.to_h do |at_s, ns|
          [at_s, [ns - known.sum { |steps| steps.fetch(at_s, 0) }, 0].max]
        end
      end

      def held(names)
        known = held_by(names)
        threads = busiest_steps(of: %i[running], kinds: [:account]).fetch(nil, {})
        whole = running(busiest(processes)).merge(threads) { |_, units, others| units + others }
        layers = {**known, Analysis::GvlOverTime::OTHERS => rest(whole, known.values)}
        layers.transform_values { |steps| numbers(steps) { |ns, index| of_processes(ns, index) } }
      end

      # @return [Hash{StallPairs::Party => Hash{Integer => Integer}}] ns by start of the step, in their order
      def held_by(parties)
        found = parties.group_by(&:kind).to_h do |kind, same|
          of = (kind == :account) ? %i[running] : UnitNumbers::RUNNING_STATES
          [kind, busiest_steps(of:, kinds: [kind], names: globs(same.map(&:name)), apart: :name)]
        end
        parties.to_h { |party| [party, found.fetch(party.kind).fetch(party.name, {})] }
      end

      # @param sums [Array<Store::SpanSum>] of processes
      # @return [Hash{Integer => Integer}] ns for which these held the GVL, by start of the step
      def running(sums)
        by_step(sums).transform_values { |same| same.sum { |sum| sum.window.held_ns(:process) } }
      end

      def processes
        @processes ||= chosen(@store.sums(@from_s, @to_s, step_s: @step_s, together: ALL, kinds: [:process],
          **HELD_TIME))
      end

      # Web servers and job runners have GVLs of their own, and the mean of an idle one and a busy one would
      # say little: those of the role whose GVL is held most.
      def busiest(sums) = sums.select { |sum| role(sum.window.setting) == busiest_role }

      # See `steps`.
      def busiest_steps(**options)
        steps(**options) { |setting| role(setting) == busiest_role }
      end

      def busiest_role
        @busiest_role ||= by_role.max_by { |_, same| held_share(same) }&.first
      end

      def by_role = processes.group_by { |sum| role(sum.window.setting) }

      def held_share(sums) = sums.sum { |sum| sum.window.held_ns(:process) }.fdiv(sums.sum(&:covered_s))

      def role(setting) = setting&.attributes&.values_at(*ROLE) || []

      # @return [String, nil] "puma"; nil where there is no other
      def server
        return if by_role.size < 2
        busiest_role.drop(1).compact.first
      end

      def by_step(sums) = sums.group_by { |sum| sum.window.start_s / @step_s * @step_s }

      # @return [Hash{Integer => Float}] a process counts for the share of the step in which it was there
      def threads
        by_step(processes).transform_values do |sums|
          sums.sum { |sum| sum.covered_s * (sum.window.setting&.threads || 0) }.fdiv(@step_s)
        end
      end

      # A minute that was measured in part counts as that part: its processes have a window of a whole minute.
      def covered_s
        @covered_s ||= by_step(busiest(processes)).transform_values do |sums|
          sums.sum { |sum| sum.covered_s * measured_share(sum.window) }
        end
      end

      def measured_share(window)
        measured_s = measured.seconds(window.start_s, window.end_s)
        (measured_s < Analysis::MeasuredTime::LEAST_S) ? 1.0 : measured_s.fdiv(window.seconds)
      end

      # Of all requests and jobs, because the GVL is that of all.
      def measured
        @measured ||= Queries::MeasuredTimeQuery.call(@store, from_s: @from_s, to_s: @to_s)
      end

      # @param steps [Hash{Integer => Numeric}] by start of the step
      # @return [Array<Numeric, nil>] nil where nothing was measured
      def numbers(steps)
        @series.at_s.each_with_index.map do |at_s, index|
          yield steps.fetch(at_s, 0), index if @series.measured?(index)
        end
      end

      def of_seconds(ns, index) = ns.fdiv(@series.seconds(index) * NS)

      def of_processes(ns, index)
        seconds = covered_s[@series.at_s[index]]
        seconds ? ns.fdiv(seconds * NS) : 0.0
      end
    end
  end
end
