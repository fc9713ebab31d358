# frozen_string_literal: true

module Holdup
  module Queries
    # Reads how many requests and jobs of each name each host ran in each step of a span, and how large its
    # processes were, for Analysis::HeapGrowth. Requests and jobs are read together, because they may share
    # processes. A fleet has many names and hosts: of each step it reads only the names that count, and of
    # each setting some hosts.
    module HeapCountsQuery
      # Samples in a step, where they are further apart than a minute: the ends of a step lie between them.
      SAMPLES = 5
      # Steps at most. With 300, those of two days took a third of the time of the advice.
      STEPS = 150
      # The hosts of a larger fleet are not all read.
      MANY_HOSTS = 8
      OTHERS = Series.new(kind: :request, name: Analysis::HeapGrowth::OTHERS)
      # Series with one of these names, or with another one.
      NamedSeries = Data.define(:names, :among) do
        def series?(series) = names.include?(series.name) == among
      end
      private_constant :OTHERS, :NamedSeries

      module_function

      # @param names [Array<String>] see Analysis::HeapGrowth.most_frequent
      # @return [Analysis::HeapGrowth::HeapCounts]
      def call(store, from_s:, to_s:, names:)
        from_s = [from_s, to_s - Analysis::ProcessReport::KEPT_S].max # there are no samples before
        step_s = TimeSeriesQuery.step_s(from_s, to_s, store.finest_s(from_s), points: STEPS)
        samples = samples(store, from_s, to_s, step_s / SAMPLES)
        number = samples.map { |sample| sample[:host] }.uniq.size
        hosts = some_hosts(samples) if number > MANY_HOSTS
        options = {kinds: Series::UNITS, histograms: [], step_s:, by_host: true, hosts:}.compact
        own, others = [true, false].map { |among| NamedSeries.new(names:, among:) }
        sums = store.sums(from_s, to_s, only: own, **options) +
          store.sums(from_s, to_s, only: others, together: OTHERS, **options)
        each_host = hosts ? number.fdiv(hosts.size) : 1
        samples = samples.select { |sample| hosts.include?(sample[:host]) } if hosts
        Analysis::HeapGrowth::HeapCounts.new(windows: sums.map(&:window), samples:, each_host:)
      end

      # Those of processes come once a minute, so the nearest ones outside are within a minute.
      def samples(store, from_s, to_s, every_s)
        thinned = {every_s: (every_s if every_s > MINUTE_S)}.compact
        store.processes(from_s - MINUTE_S, to_s + MINUTE_S + 1, **thinned)
      end

      # @return [Array<String>] some hosts of each setting
      def some_hosts(samples)
        some = samples.group_by { |sample| sample[:setting] }.values.flat_map do |same|
          hosts = same.map { |sample| sample[:host] }.uniq.sort
          hosts.each_slice(hosts.size.ceildiv(MANY_HOSTS)).map(&:first)
        end
        some.uniq
      end
      private_class_method :samples, :some_hosts
    end
  end
end
