# frozen_string_literal: true

module Holdup
  module Compare
    # One side of a comparison: a span of time, settings, or both. Units of the first two minutes of a
    # process are left out: they load, fill caches and are compiled, and their number depends on the number
    # of deployments.
    class Side
      # Settings with a smaller share of the units are remains of a deployment: counted, but not named.
      FEW = 0.01
      # Histograms that are shown of a side.
      TIMES = %i[wall stalled].freeze
      # A smaller part of its stall says little about whom a name waited for: the rest was recorded without.
      CHARGED = 0.5

      attr_reader :label

      attr_reader :from_s, :to_s

      attr_reader :samples

      # @param windows [Enumerable<Window>] of all kinds of its processes
      # @param samples [Array<Hash{Symbol => Object}>] of processes and containers
      # @param coverage [Analysis::MeasuredTime, nil] when such units were measured; nil: only windows say it
      def initialize(label:, windows:, from_s:, to_s:, unit_samples: [], samples: [],
        filter: Analysis::UnitFilter.new(kind: :request), coverage: nil)
        @label = label
        @from_s = from_s
        @to_s = to_s
        @filter = filter
        @coverage = coverage
        @all = windows.to_a
        @all_unit_samples = unit_samples.select do |unit_sample|
          filter.series?(unit_sample.series) && settings.include?(unit_sample.setting)
        end
        @all_samples = samples
        @samples = samples.select { |sample| fingerprints.include?(sample[:setting]) }
      end

      # Most units first.
      def settings
        @settings ||= begin
          units = chosen.group_by(&:setting).transform_values { |same| same.sum(&:count) }
          named = units.select { |_, count| count >= FEW * units.values.sum }
          named.sort_by { |_, count| -count }.map(&:first)
        end
      end

      def windows
        warmed? ? warm_and_cold.first : chosen
      end

      # Windows of units in the first minutes of processes, which are left out.
      def cold
        warmed? ? warm_and_cold.last : []
      end

      def unit_samples
        @unit_samples ||= if warmed?
          @all_unit_samples.select { |unit_sample| boots.warm_unit?(unit_sample) }
        else
          @all_unit_samples
        end
      end

      # Samples of the methods that made others wait in these units.
      def method_windows = @method_windows ||= views_of_units(:method)

      # Whom these units waited for at the GVL.
      def pair_windows = @pair_windows ||= views_of_units(:pair)

      # Names of units of whose stall most was charged to somebody. Before Holdup measured pairs, none was.
      # @return [Array<String>]
      def victims_with_pairs
        charged = pair_windows.group_by { |window| window.series.name }
        stalled = windows.group_by { |window| window.series.name }
        stalled.keys.select do |name|
          sums = [charged.fetch(name, []), stalled[name]].map { |same| same.sum(&:stalled_ns) }
          sums.first >= CHARGED * sums.last
        end
      end

      # Whether it is known whom these units waited for; it is not where no pair was measured.
      def pairs_known?
        pair_windows.any? || windows.sum(&:stalled_ns).zero?
      end

      # Everything else in these processes: threads outside of units, and other kinds of units.
      def other_windows
        @other_windows ||= begin
          windows = @all.select { |window| settings.include?(window.setting) }
          others = windows.reject { |window| chosen?(window) || window.series.view? }
          warmed? ? others.select { |window| warm?(window) } : others
        end
      end

      def units = windows.sum(&:count)

      def cold_units = cold.sum(&:count)

      # @return [Array<(Setting, Integer)>] units of each setting
      def counts
        by_setting = windows.group_by(&:setting)
        by_setting.map { |setting, same| [setting, same.sum(&:count)] }
      end

      # @return [Hash{Symbol => Histogram}] by TIMES
      def times = histograms(windows)

      # @return [Hash{Symbol => Histogram}] of the first minutes
      def cold_times = histograms(cold)

      def queued?
        windows.any? { |window| window.histograms[:queued].count.positive? }
      end

      # When the units were measured; nil where only windows say it.
      def coverage
        return unless @coverage
        @warm_coverage ||= cold.uniq(&:start_s).reduce(@coverage) do |rest, window|
          rest.without(window.start_s, window.end_s)
        end
      end

      # Whether there are units after the first minutes; if not, all units count.
      def warmed?
        warm_and_cold.first.sum(&:count).positive?
      end

      def boots_known?
        @all_unit_samples.any? || samples.any?
      end

      # Processes that took these units at any time, known from samples or from single units.
      def processes
        (sampled_processes | @all_unit_samples.map { |unit_sample| process_of(unit_sample) }).size
      end

      # @return [Hash{Array => Float}] share of these units that each process took, by host, pid and start in
      #   s; equal ones where no unit is stored singly; empty where no process is known
      def process_shares
        weights = unit_samples.group_by { |unit| process_of(unit) }
          .transform_values { |own| own.sum(&:weight) }
        weights = sampled_processes.to_h { |process| [process, 1.0] } if weights.empty?
        all = weights.values.sum
        weights.transform_values { |weight| weight / all }
      end

      # @return [Analysis::Machine::MachineSpeed] in the windows that have such units
      def machine_speed
        lengths = chosen.to_h { |window| [window.start_s, window.seconds] }
        starts = lengths.keys.sort
        Analysis::Machine::MachineSpeed.of(@all_samples.select do |sample|
          start_s = starts[starts.bsearch_index { |each| each > sample[:at_s] }.to_i - 1]
          start_s && (start_s...(start_s + lengths[start_s])).cover?(sample[:at_s])
        end)
      end

      # @return [Float, nil] how long the machine took for the same work while processes had these settings:
      #   mean logarithm against all of its host's times; nil while unknown
      def slowness(from_s, to_s)
        own = work_times.select { |at_s, _| at_s >= from_s && at_s < to_s }.map(&:last)
        own.sum / own.size if own.any?
      end

      # Whether some of the processes' units are left out.
      def narrow?
        !!(@filter.name || @filter.queue)
      end

      private

      def process_of(unit_sample)
        [unit_sample.host, unit_sample.process.pid, unit_sample.process.since_ns / NS]
      end

      def sampled_processes = samples.map { |sample| sample.values_at(:host, :pid, :since_s) }.uniq

      def histograms(windows)
        TIMES.to_h { |key| [key, Histogram.sum(windows.map { |window| window.histograms.fetch(key) })] }
      end

      # @param kind [Symbol] of Series::VIEWS whose windows have the names of units
      def views_of_units(kind)
        names = windows.map { |window| window.series.name }.to_set
        found = @all.select do |window|
          window.series.kind == kind && names.include?(window.series.name) &&
            settings.include?(window.setting)
        end
        warmed? ? found.select { |window| warm?(window) } : found
      end

      def chosen
        @chosen ||= @all.select { |window| chosen?(window) }
      end

      def chosen?(window)
        window.series.unit? && window.count.positive? && @filter.series?(window.series)
      end

      def warm_and_cold
        @warm_and_cold ||= chosen.partition { |window| warm?(window) }
      end

      def warm?(window)
        boots.warm?(window.start_s, window.end_s)
      end

      def boots
        @boots ||= Analysis::ProcessBoots.new(@all_unit_samples, samples)
      end

      # @return [Array<(Integer, Float)>] second and logarithm
      def work_times
        @work_times ||= begin
          usual = usual_work
          keys = fingerprints.map { |fingerprint| Analysis::Machine::ArmWork.keys(fingerprint) }
          @all_samples.product(keys).filter_map do |sample, (ns, at_s)|
            [sample[at_s], Math.log(sample[ns]) - usual[sample[:host]]] if sample[ns].to_i.positive?
          end
        end
      end

      # @return [Hash{String => Float}] mean logarithm of each host's minutes
      def usual_work
        timed = @all_samples.select { |sample| sample[:fixed_work_ns].to_i.positive? }.group_by { _1[:host] }
        timed.transform_values do |own|
          own.sum { |sample| Math.log(sample[:fixed_work_ns]) } / own.size
        end.tap { |means| means.default = 0.0 }
      end

      def fingerprints
        @fingerprints ||= settings.map(&:fingerprint)
      end
    end
  end
end
