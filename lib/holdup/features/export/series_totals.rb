# frozen_string_literal: true

module Holdup
  module Export
    # Sums of all windows that it was given, by labels. They only grow.
    #
    # Beyond a limit, further names of requests and jobs share the name OTHER, so the sums over all names stay
    # exact.
    class SeriesTotals
      OTHER = "(other)"
      # How many different names are counted as dropped: a set of more would grow without a limit.
      MOST_DROPPED = 10_000
      # What the labels of a process say, from its setting.
      OF_SETTING = %i[app revision arm].freeze

      # Tables of label set => Figures. `units`: requests, jobs and threads outside of them; `handoff`,
      # `nested`: by process; `rack`, `sidekiq`: requests by process, Sidekiq's jobs by process and queue;
      # `calls`: to other systems, with the label `call`
      attr_reader :units, :handoff, :nested, :rack, :sidekiq, :calls

      # @param limit [Integer] label sets of each table
      # @param labels [Array<Symbol>] names of the labels that are kept; the others are added up
      # @param figures [Class] Figures, or those with other histograms
      def initialize(limit:, labels:, figures: Figures)
        @limit = limit
        @labels = labels
        @figures = figures
        @dropped = Set.new
        @processes = {}
        @units, @handoff, @nested, @rack, @sidekiq, @calls = Array.new(6) { {} }
      end

      # How many label sets were added up under OTHER.
      def dropped = @dropped.size

      def add(window)
        case window.series.kind
        when :nested then figures(@nested, process_labels(window)).add(window)
        when :call then figures(@calls, call_labels(window)).add(window)
        when *ExportedFigures::KINDS.keys then add_unit(window)
        end
      end

      # @param setting [Setting]
      # @return [Hash{Symbol => String}] labels of a process
      def labels_of(setting, host)
        @processes[[setting.fingerprint, host]] ||= begin
          facts = OF_SETTING.to_h { |name| [name, setting[name]] }
          allowed({**facts, role: setting.role, host:})
        end
      end

      private

      def add_unit(window)
        return figures(@handoff, process_labels(window)).add(window) if window.series == Series::HANDOFF
        figures(@units, labels(window)).add(window)
        case window.series.kind
        when :request then figures(@rack, process_labels(window)).add(window)
        when :job then add_sidekiq(window) if window.setting["jobs"] == "sidekiq"
        end
      end

      def add_sidekiq(window)
        queue = allowed(queue: window.series.queue)
        figures(@sidekiq, process_labels(window).merge(queue)).add(window)
      end

      def labels(window)
        series = window.series
        own = allowed(kind: ExportedFigures::KINDS.fetch(series.kind), name: series.name, queue: series.queue)
        process_labels(window).merge(own)
      end

      def call_labels(window)
        name = allowed(name: window.series.name)
        {**process_labels(window), **name, call: window.series.queue.to_s.scrub("?")}
      end

      def process_labels(window)
        labels_of(window.setting, window.host)
      end

      def allowed(facts)
        kept = facts.select { |name, value| @labels.include?(name) && value }
        kept.transform_values { |value| value.to_s.scrub("?") }
      end

      def figures(table, labels)
        found = table[labels]
        return found if found
        if table.size >= @limit && (labels.key?(:name) || labels.key?(:queue))
          @dropped << labels if @dropped.size < MOST_DROPPED
          labels = labels.except(:queue).merge(labels.key?(:name) ? {name: OTHER} : {queue: OTHER})
        end
        table[labels] ||= @figures.new
      end
    end

    # Sums of the windows of one label set. Durations are ns.
    class SeriesTotals::Figures
      POWERS = ExportedFigures::POWERS
      UNITS_OF_OURS = 1 << Histogram::Buckets::SCALE

      # @return [Array<String>] bounds in seconds, as text: a float would be rounded
      def self.bounds(name)
        POWERS.fetch(name).map { |power| (2**power).fdiv(1_000_000_000).to_s }
      end

      # Index of the bucket of ours => index of the exported one.
      PLACES = POWERS.transform_values { |powers|
        Array.new(Histogram::Buckets::SLOTS) do |slot|
          power = -(-(Histogram::Buckets::MIN_INDEX + slot + 1) / UNITS_OF_OURS)
          powers.bsearch_index { |bound| bound >= power } || powers.size
        end.freeze
      }.freeze

      attr_reader :errors, :sums, :buckets, :counts

      # - `sums`: {Symbol => Integer} by Window::SUMS, and of each histogram
      # - `buckets`: {Symbol => Array<Integer>} counts, the last of what is longer than all bounds; `counts`:
      #   how many values in all
      def initialize
        @errors = 0
        @sums = Hash.new(0)
        @buckets = POWERS.transform_values { |powers| Array.new(powers.size + 1, 0) }
        @counts = POWERS.transform_values { 0 }
      end

      # Whether it has requests or jobs.
      def units? = @counts[:wall].positive?

      def add(window)
        @errors += window.errors
        window.sums.each { |name, value| @sums[name] += value }
        window.histograms.each do |name, histogram|
          @sums[name] += histogram.sum
          add_histogram(name, histogram) if POWERS.key?(name) && histogram.count.positive?
        end
        self
      end

      # @return [Hash{String => Numeric}] as prometheus-client has it: cumulative counts by bound, and "sum"
      def histogram(name)
        total = 0
        running = @buckets.fetch(name).map { |count| total += count }
        bounds = BOUNDS.fetch(name)
        {**bounds.zip(running).to_h, "+Inf" => @counts.fetch(name), "sum" => @sums[name].fdiv(1_000_000_000)}
      end

      BOUNDS = POWERS.keys.to_h { |name| [name, bounds(name).freeze] }.freeze

      private

      def add_histogram(name, histogram)
        buckets = @buckets[name]
        places = PLACES[name]
        buckets[0] += histogram.zero
        histogram.counts.each_with_index { |count, index| buckets[places[histogram.offset + index]] += count }
        @counts[name] += histogram.count
      end
    end

    # Figures whose histograms keep the buckets as they were measured.
    class SeriesTotals::ExponentialFigures < SeriesTotals::Figures
      def initialize
        super
        @histograms = POWERS.transform_values { HistogramSum.new }
      end

      # @return [Histogram]
      def histogram(name) = @histograms.fetch(name).to_histogram

      private

      def add_histogram(name, histogram)
        @histograms.fetch(name).add(histogram)
        @counts[name] += histogram.count
      end
    end
  end
end
