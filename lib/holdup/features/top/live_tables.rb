# frozen_string_literal: true

module Holdup
  module Top
    # A row of a table.
    #
    # - `name`: untrusted text; `pid`: nil if it belongs to several processes
    # - `values`: {Symbol => Integer, Float, String, nil} by column; nil is unknown
    # - `steps`: -> (count) { Array of Float }, threads that waited in each of the latest so many seconds
    LiveRow = Data.define(:name, :pid, :values, :steps) do
      # @param column [Symbol] of LiveTables::SORTS
      # @return [Array] rows with unknown values come last, equal ones by name
      def order(column)
        return [0, name.to_s] if column == :name
        [-(values[column] || -1), name.to_s]
      end

      # @param text [String] lower case
      def match?(text)
        texts = [name, *values.values_at(:process, :server, :queue, :cause)]
        texts.any? { |one| one.to_s.downcase.include?(text) }
      end
    end

    # What the processes of a host do: rows of the three tables, and totals of all processes.
    class LiveTables
      SHORT_NS = 10_000_000_000
      LONG_NS = 60_000_000_000
      # Tables, and what each can be sorted by.
      SORTS = {
        processes: %i[stalled caused gvl rate busy name],
        endpoints: %i[stalled_short queued_short caused rate wall name],
        threads: %i[busy caused stalled running backlog name]
      }.freeze
      GAUGES = {busy: :busy_threads, max: :max_threads, waiting: :waiting_threads}.freeze
      UNITS = %i[request job overflow].freeze
      WITH_BLAME = [*UNITS, :account].freeze

      attr_reader :processes

      # @param processes [Array<ProcessReadings>]
      def initialize(processes)
        @processes = processes
      end

      # @param table [Symbol] a key of SORTS
      # @param filter [String] part of a name, in any case
      # @return [Array<LiveRow>] sorted
      def rows(table, sort:, filter: "")
        text = filter.downcase
        all(table).select { |row| row.match?(text) }.sort_by { |row| row.order(sort) }
      end

      # All processes together, over the last ten seconds.
      # @return [Hash{Symbol => Numeric, nil}]
      def totals
        units = pairs.flat_map { |pair| units(pair) }
        count = units.sum(&:count)
        {processes: @processes.size, rate: pairs.sum { |pair| rate(pair) || 0 }, **gauges, **ticked,
         stalled_ns: mean(units.sum(&:stalled_ns), count), stall_share: share(units),
         queued_ns: mean(units.sum(&:queued_ns), units.sum(&:queued))}
      end

      # What made others wait most in the last ten seconds.
      # @return [Array<Array(String, Float)>] names, and their shares of what all caused
      def causes(count)
        largest_causes(pairs.flat_map(&:slots)).first(count)
      end

      private

      def all(table)
        case table
        when :processes then process_rows
        when :endpoints then endpoint_rows
        else thread_rows
        end
      end

      def pairs
        @pairs ||= @processes.map { |process| process.over(SHORT_NS) }
      end

      def gauges
        known = @processes.map { |process| process.header.gauges }
        GAUGES.transform_values do |gauge|
          values = known.filter_map { |gauges| gauges[gauge] }
          values.sum unless values.empty?
        end
      end

      # Means over the processes that have ticked.
      def ticked
        known = pairs.select { |pair| pair.ticked_ns.positive? }
        {gvl: :running_ns, gc: :gc_ns}.transform_values do |counter|
          known.sum { |pair| pair.threads(counter) }.fdiv(known.size) unless known.empty?
        end
      end

      def share(units)
        wall_ns = units.sum(&:wall_ns)
        units.sum(&:stalled_ns).fdiv(wall_ns) if wall_ns.positive?
      end

      def mean(sum, count)
        sum.fdiv(count) if count.positive?
      end

      def units(pair)
        @units ||= {}.compare_by_identity
        @units[pair] ||= pair.slots.select { |slot| UNITS.include?(slot.series.kind) }
      end

      def rate(pair) = per_second(units(pair).sum(&:count), pair.length_ns)

      def per_second(count, length_ns)
        count.fdiv(length_ns) * NS if length_ns.positive?
      end

      def largest_causes(slots)
        sums = slots.select { |slot| WITH_BLAME.include?(slot.series.kind) }
          .group_by { |slot| slot.series.name }.transform_values { |same| same.sum(&:caused_ns) }
        total = sums.values.sum
        return [] unless total.positive?
        sums.sort_by { |_, caused| -caused }.map { |name, caused| [name, caused.fdiv(total)] }
      end

      def process_rows
        @processes.zip(pairs).map { |process, pair| process_row(process, pair) }
      end

      def process_row(process, pair)
        gauges = process.header.gauges
        cause, cause_share = largest_causes(pair.slots).first
        values = {
          pid: process.pid,
          server: process.profile["server"],
          busy: gauges[:busy_threads],
          max: gauges[:max_threads],
          waiting: gauges[:waiting_threads],
          backlog: gauges[:backlog],
          rate: rate(pair),
          gvl: pair.threads(:running_ns),
          stalled: pair.threads(:stalled_ns),
          gc: pair.threads(:gc_ns),
          caused: pair.threads(:caused_ns),
          jit: jit(gauges),
          cause:,
          cause_share:
        }
        steps = ->(count) { process.steps(count).map { |step| step.threads(:stalled_ns) || 0.0 } }
        LiveRow.new(name: process.name, pid: process.pid, values:, steps:)
      end

      # @return [Integer, nil] bytes of compiled code; 0 where the JIT is off; nil where that is unknown
      def jit(gauges)
        (gauges[:jit_enabled] == 0) ? 0 : gauges[:jit_code_bytes]
      end

      def endpoint_rows
        @long_pairs ||= @processes.map { |process| process.over(LONG_NS) }
        slots_of_units.map do |series, places|
          short_sums, short_ns = sums(places, pairs)
          long_sums, = sums(places, @long_pairs)
          LiveRow.new(name: series.name, pid: nil, values: endpoint(series, short_sums, short_ns, long_sums),
            steps: ->(count) { endpoint_steps(places, count) })
        end
      end

      # @return [Hash{Series => Array}] of each request and job: [index of the process, index of the slot]
      def slots_of_units
        @slots_of_units ||= @processes.each_with_index.with_object({}) do |(process, at), found|
          process.readings.last.slots.each_with_index do |slot, index|
            next unless slot && UNITS.include?(slot.series.kind) && slot.count.positive?
            (found[slot.series.plain] ||= []) << [at, index]
          end
        end
      end

      # @return [Array(Segment::SlotSums, Integer)] nil if nothing was added; and the longest time of a pair
      def sums(places, pairs)
        added = places.filter_map { |at, index| pairs[at].slot(index) }
        [added.reduce(:+), places.map { |at, _| pairs[at].length_ns }.max]
      end

      def endpoint(series, short, short_ns, long)
        {
          queue: series.queue,
          rate: short ? per_second(short.count, short_ns) : 0,
          wall: short && mean(short.wall_ns, short.count),
          stalled_short: short && mean(short.stalled_ns, short.count),
          stalled_long: long && mean(long.stalled_ns, long.count),
          queued_short: short && mean(short.queued_ns, short.queued),
          queued_long: long && mean(long.queued_ns, long.queued),
          caused: short ? short.caused_ns.fdiv([short_ns, 1].max) : 0.0
        }
      end

      # A request counts in the second in which it ended.
      def endpoint_steps(places, count)
        steps = places.map do |at, index|
          stalled = @processes[at].steps(count).map { |step| step.stalled_threads(index) }
          Array.new(count - stalled.size, 0.0) + stalled
        end
        steps.transpose.map(&:sum)
      end

      def thread_rows
        @processes.zip(pairs).flat_map do |process, pair|
          pool_rows(process) + account_rows(process, pair)
        end
      end

      def pool_rows(process)
        process.header.pools.each_with_index.map do |pool, index|
          values = {process: process.name, **pool.slice(:busy, :max, :backlog), oldest: pool[:oldest_ns]}
          LiveRow.new(name: process.profile["pool.#{index}"], pid: process.pid, values:, steps: ->(_) { [] })
        end
      end

      # Threads outside of requests and jobs.
      def account_rows(process, pair)
        pair.slots.select { |slot| slot.series.kind == :account }.map do |slot|
          ticked_ns = [pair.ticked_ns, 1].max
          values = {
            process: process.name,
            running: slot.running_ns.fdiv(ticked_ns),
            stalled: slot.stalled_ns.fdiv(ticked_ns),
            caused: slot.caused_ns.fdiv(ticked_ns)
          }
          LiveRow.new(name: slot.series.name, pid: process.pid, values:, steps: ->(_) { [] })
        end
      end
    end
  end
end
