# frozen_string_literal: true

require_relative "../model/clock"
require_relative "../model/exported_figures"
require_relative "stats_log/process_reading"
require_relative "runtime/resources"

module Holdup
  # Gives Yabeda what this process has measured since the last time: counters and histograms by how much they
  # have grown, gauges as they are. Yabeda has no other way to take a counter, and passes each value on at
  # once, so nothing here is on the way of a request.
  #
  # Some adapters ask before they answer (`Yabeda.collect!`), but only in the process that answers. The others
  # never ask. So a thread of ours gives the figures of each process every few seconds, too.
  class YabedaFigures
    include Runtime::Resource

    GROUP = :ruby
    EVERY_S = 5
    # After so many values other threads get the GVL: with Prometheus's client a value takes 40 us.
    AT_ONCE = 50
    UNIT_TAGS = %i[kind name queue].freeze
    STATE_TAGS = {ruby_gvl_time_seconds_total: [*UNIT_TAGS, :state],
                  ruby_gvl_nested_seconds_total: [:state]}.freeze
    # The kernel alone knows the proportional share, and only for the price of a long look.
    GAUGES = ExportedFigures::PROCESS_GAUGES.except(:ruby_memory_pss_bytes).freeze
    UNIT_COUNTERS = {**ExportedFigures::COUNTERS, **ExportedFigures::UNIT_COUNTERS}.freeze
    NO_TAGS = {}.freeze
    private_constant :UNIT_TAGS, :STATE_TAGS, :UNIT_COUNTERS, :NO_TAGS

    # @param yabeda [Module] Yabeda
    # @param segment [StatsLog::OwnSegment]
    def initialize(yabeda, probe:, guard:, segment: StatsLog::OwnSegment.new(probe), clock: Clock.new)
      @yabeda = yabeda
      @guard = guard
      @segment = segment
      @clock = clock
      @lock = Mutex.new
      @due_ns = 0
      @given = 0
    end

    # Tells Yabeda the names. Before `Yabeda.configure!` this is kept for it.
    # @return [void]
    def register
      figures = self
      @yabeda.configure do
        group GROUP
        figures.each_metric { |type, name, options| public_send(type, name, **options) }
        collect { figures.give }
      end
    end

    # @yieldparam type [Symbol] :counter, :gauge or :histogram
    # @yieldparam name [Symbol] without the group
    # @yieldparam options [Hash{Symbol => Object}] for Yabeda
    def each_metric
      ExportedFigures::HISTOGRAMS.each do |name, (key, comment)|
        buckets = ExportedFigures::POWERS.fetch(key).map { |power| (2**power).fdiv(NS) }
        yield :histogram, own(name), {comment:, buckets:, tags: UNIT_TAGS}
      end
      UNIT_COUNTERS.each do |name, (_, comment)|
        yield :counter, own(name), {comment:, tags: UNIT_TAGS}
      end
      ExportedFigures::HELP.each do |name, comment|
        tags = STATE_TAGS.fetch(name) { (name == :ruby_gvl_errors_total) ? UNIT_TAGS : [] }
        yield :counter, own(name), {comment:, tags:}
      end
      ExportedFigures::PROCESS_COUNTERS.each { |name, one| yield :counter, own(name), {comment: one.help} }
      GAUGES.each { |name, one| yield :gauge, own(name), {comment: one.help} }
    end

    # Called at each tick of a measuring process.
    def install
      give if @clock.monotonic_ns >= @due_ns
    end

    # Gives Yabeda what is new. What another thread is giving is not given twice.
    # @return [void]
    def give
      @guard.call(:yabeda) do
        @lock.synchronize { give_new } if @yabeda.configured?
      end
    end

    private

    def give_new
      return unless @segment.header # nothing is measured here
      @due_ns = @clock.monotonic_ns + EVERY_S * NS
      reader = @segment.reader
      header = reader.header
      begin_with(header.pid, header.created_ns)
      header.series_count.times { |index| give_slot(index, reader) }
      give_process(sample(reader))
    end

    # A fork has a segment of its own, and so has a process that starts to measure again: there all that is
    # measured begins at 0. What the kernel and Ruby count goes on until the process ends.
    def begin_with(pid, created_ns)
      @counted = {} unless @pid == pid
      @slots = [] unless @pid == pid && @created_ns == created_ns
      @pid = pid
      @created_ns = created_ns
    end

    def give_slot(index, reader)
      known = @slots[index]
      slot = reader.slot(index, known)
      return if slot.nil? || slot.equal?(known)
      @slots[index] = slot
      kind = slot.series.kind
      if kind == :nested
        give_states(:ruby_gvl_nested_seconds_total, NO_TAGS, slot, known)
      elsif slot.series == Series::HANDOFF
        add(:ruby_gvl_handoff_seconds_total, NO_TAGS, grown(slot, known)[:caused_ns].fdiv(NS))
      elsif ExportedFigures::KINDS.key?(kind)
        give_series(slot, known)
      end
    end

    # The slot of a thread may be another thread's now (Segment::AccountSlot): what it has grown by counts
    # for the present one.
    def give_series(slot, known)
      series = slot.series
      tags = {kind: ExportedFigures::KINDS.fetch(series.kind), name: series.name, queue: series.queue.to_s}
      give_states(:ruby_gvl_time_seconds_total, tags, slot, known)
      sums = grown(slot, known)
      counters = series.unit? ? UNIT_COUNTERS : ExportedFigures::COUNTERS
      counters.each do |name, (key, _)|
        scale = ExportedFigures.scale(name)
        add(name, tags, (scale == 1) ? sums[key] : sums[key].fdiv(scale))
      end
      return unless series.unit?
      add(:ruby_gvl_errors_total, tags, slot.errors - (known ? known.errors : 0))
      ExportedFigures::HISTOGRAMS.each { |name, (key, _)| measure(name, tags, key, slot, known) }
    end

    def give_states(name, tags, slot, known)
      ExportedFigures.by_state(grown(slot, known)).each do |state, seconds|
        add(name, {**tags, state: state.to_s}, seconds)
      end
    end

    # @return [Hash{Symbol => Integer}] sums, also of histograms, since an earlier reading
    def grown(slot, known)
      sums = sums_of(slot)
      known ? sums.merge(sums_of(known)) { |_, now, before| now - before } : sums
    end

    def sums_of(slot)
      {**slot.named_sums, **Segment::Layout::HISTOGRAMS.zip(slot.histograms.map(&:sum)).to_h}
    end

    def measure(name, tags, key, slot, known)
      histogram = slot.histogram(key)
      histogram -= known.histogram(key) if known
      metric = metric(name)
      MeasuredValues.new(histogram).each do |seconds, count|
        count.times do
          metric.measure(tags, seconds)
          let_others_run
        end
      end
    end

    # A process may have thousands of values.
    def let_others_run
      @given += 1
      Thread.pass if (@given % AT_ONCE).zero?
    end

    def sample(reader)
      jit = reader.setting&.[]("jit.kind")
      {**reader.header.gauges, rss_bytes: StatsLog::ProcessReading.rss, "jit.kind": jit}
    end

    def give_process(sample)
      ExportedFigures::PROCESS_COUNTERS.each do |name, figure|
        value = figure.of(sample) or next
        before = @counted.fetch(name, 0)
        @counted[name] = value
        add(name, NO_TAGS, (figure.scale == 1) ? value - before : (value - before).fdiv(figure.scale))
      end
      GAUGES.each do |name, figure|
        value = figure.of(sample)
        metric(name).set(NO_TAGS, value) if value
      end
    end

    # A counter that stands still is not touched.
    def add(name, tags, value)
      metric(name).increment(tags, by: value) if value.positive?
    end

    def metric(name) = @yabeda.metrics.fetch(name.name)

    def own(name) = name.name.delete_prefix("#{GROUP}_").to_sym
  end

  # A histogram as values in seconds, for those who take no other: each in the bucket of its measured value,
  # and all together as long as the measured ones.
  class YabedaFigures::MeasuredValues
    # @param histogram [Histogram]
    def initialize(histogram)
      @histogram = histogram
    end

    # @yieldparam seconds [Float]
    # @yieldparam count [Integer] of how many requests or jobs
    def each
      return if @histogram.count.zero?
      groups = [[0, Histogram::Buckets::FLOOR_NS, @histogram.zero], *buckets].reject { |row| row.last.zero? }
      # The measured sum is at most half a bucket away from that of the middles.
      guess = groups.sum { |low, high, count| middle(low, high) * count }
      stretch = guess.zero? ? 1 : @histogram.sum.fdiv(guess)
      groups.each do |low, high, count|
        yield (middle(low, high) * stretch).clamp(low, high).fdiv(NS), count
      end
    end

    private

    def buckets
      @histogram.counts.each_with_index.map do |count, index|
        slot = @histogram.offset + index
        [Histogram::Buckets.first(slot), Histogram::Buckets.last(slot), count]
      end
    end

    def middle(low, high) = Math.sqrt(low * high)
  end
end
