# frozen_string_literal: true

module Holdup
  module Queries
    # Reads how many requests and jobs of each name each host ran in each step of a span, and how large its
    # processes were, for Analysis::HeapGrowth. Requests and jobs are read together, because they may share
    # processes. A fleet has many names and hosts: of each step it reads only the names that count, and of
    # each setting some hosts.
    module HeapCountsQuery
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
        all = hosts_by_setting(store, from_s, to_s)
        number = all.values.flatten.uniq.size
        hosts = some_hosts(all) if number > MANY_HOSTS
        options = {kinds: Series::UNITS, histograms: [], numbers: [], step_s:, by_host: true, hosts:}.compact
        own, others = [true, false].map { |among| NamedSeries.new(names:, among:) }
        sums = store.sums(from_s, to_s, only: own, **options) +
          store.sums(from_s, to_s, only: others, together: OTHERS, **options)
        each_host = hosts ? number.fdiv(hosts.size) : 1
        samples = samples(store, from_s, to_s, step_s, hosts)
        Analysis::HeapGrowth::HeapCounts.new(windows: sums.map(&:window), samples:, each_host:)
      end

      # Samples come once a minute. Those at both ends of each step show how large a process was where one
      # step ends and the next begins, and are few, however long the span is.
      def samples(store, from_s, to_s, step_s, hosts)
        thinned = (step_s > 2 * MINUTE_S) ? {every_s: step_s, ends: true} : {}
        store.processes(*around(from_s, to_s), **thinned, **{hosts:}.compact)
      end

      # The nearest samples outside are within a minute.
      def around(from_s, to_s) = [from_s - MINUTE_S, to_s + MINUTE_S + 1]

      # @return [Hash{String => Array<String>}] hosts by the fingerprint of a setting that they had; empty
      #   where there are too few hosts to leave some out
      def hosts_by_setting(store, from_s, to_s)
        return {} if store.hosts.size <= MANY_HOSTS
        every_s = Analysis::ProcessReport.every_s(from_s, to_s)
        samples = store.processes(*around(from_s, to_s), **{every_s:}.compact)
        samples.group_by { |sample| sample[:setting] }
          .transform_values { |same| same.map { |sample| sample[:host] }.uniq }
      end

      # @return [Array<String>] some hosts of each setting
      def some_hosts(by_setting)
        some = by_setting.values.flat_map do |hosts|
          hosts.sort.each_slice(hosts.size.ceildiv(MANY_HOSTS)).map(&:first)
        end
        some.uniq
      end
      private_class_method :samples, :around, :hosts_by_setting, :some_hosts
    end
  end
end
