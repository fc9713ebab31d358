# frozen_string_literal: true

module Holdup
  module Report
    # For whom threads waited in the last hour, in steps of ten seconds. The store keeps a few holders of each
    # host for that, and who waited for them is not kept.
    class RecentGvlReader
      # @param series [Analysis::TimeSeries] see Queries::RecentSeriesQuery
      # @return [Analysis::GvlOverTime, nil] nil where minutes have to do
      def self.call(store, series, filter:)
        return if filter.narrow?
        figures = store.recent_figures(series.at_s.first, series.at_s.last + series.step_s)
        new(series, figures).call if figures.any? && figures.all?(&:waited)
      end

      # @param figures [Array<RecentFigures>] of all hosts
      def initialize(series, figures)
        @series = series
        @by_step = RecentFigures.by_step(figures)
        @figures = figures
      end

      # @return [Analysis::GvlOverTime, nil]
      def call
        return if names.empty?
        Analysis::GvlOverTime.new(at_s: @series.at_s, names: parties, waiting:, held:, threads:, server:)
      end

      private

      def names
        @names ||= begin
          sums = @figures.map { |one| one.waited.holders.transform_values(&:waited_ns) }
            .reduce { |one, other| one.merge(other) { |_, ns, more| ns + more } }
          sums.select { |_, ns| ns.positive? }.max_by(Analysis::GvlOverTime::STRONGEST, &:last).map(&:first)
        end
      end

      # One that still ran in a round has no kind of its own there.
      def parties
        @parties ||= names.map do |name|
          kinds = @figures.filter_map { |one| one.waited.holders[name]&.kind }
          kind = kinds.find { |known| known != :request } || :request
          Analysis::StallPairs::Party.new(name:, kind:)
        end
      end

      def waiting
        known = parties.to_h { |party| [party, waits { |time| time.holders[party.name]&.waited_ns.to_i }] }
        nobody = waits(&:nobody_ns)
        others = rest(waits(&:ns), [*known.values, nobody])
        {**known, Analysis::GvlOverTime::OTHERS => others, Analysis::GvlOverTime::NOBODY => nobody}
      end

      # @yieldparam time [RecentFigures::WaitedTime]
      # @return [Array<Float, nil>] threads, on average, one for each step
      def waits
        steps { |figures| figures.sum { |one| yield(one.waited).fdiv(length_ns(one)) } }
      end

      def held
        known = parties.to_h do |party|
          [party, share { |one| one.waited.holders[party.name]&.held&.fetch(server_group, 0).to_i }]
        end
        whole = share { |one| one.held[server_group]&.held_ns.to_i }
        {**known, Analysis::GvlOverTime::OTHERS => rest(whole, known.values)}
      end

      # @yieldreturn [Integer] ns for which GVLs of the busiest group were held in a round
      # @return [Array<Float, nil>] of the time of its processes
      def share
        steps do |figures|
          covered_ns = figures.sum { |one| one.held[server_group]&.covered_ns.to_i }
          covered_ns.zero? ? 0.0 : figures.sum { |one| yield one }.fdiv(covered_ns)
        end
      end

      def threads
        steps do |figures|
          figures.sum { |one| one.held.values.sum(&:thread_ns).fdiv(length_ns(one)) }.round
        end
      end

      # Web servers and job runners have GVLs of their own: those whose GVL is held most.
      def server_group = @server_group ||= groups.max_by { |_, time| held_share(time) }&.first

      # @return [Hash{String => RecentFigures::HeldTime}]
      def groups
        @groups ||= @figures.map(&:held).reduce do |one, other|
          one.merge(other) { |_, time, more| time + more }
        end
      end

      def held_share(time) = time.covered_ns.zero? ? 0.0 : time.held_ns.fdiv(time.covered_ns)

      # @return [String, nil] nil where there is no other
      def server = (server_group if groups.size > 1)

      def rest(whole, known)
        whole.each_with_index.map do |value, index|
          value && [value - known.sum { |values| values[index] }, 0.0].max
        end
      end

      # @return [Array<Object, nil>] nil for steps without a round
      def steps
        @series.at_s.map { |at_s| @by_step[at_s]&.then { |figures| yield figures } }
      end

      def length_ns(figures) = figures.length_ms * NS / 1000
    end
  end
end
