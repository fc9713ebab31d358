# frozen_string_literal: true

module Holdup
  module Analysis
    # One line of a report: a name with the merged window of everything it stands for, and the figures per
    # unit that every surface shows. Durations are in ns. `settings`: fingerprints of those under which it was
    # measured; `queues`: those that its units were in, nil for none; `entries`: Array of
    # WindowTable::WindowEntry, what it is the sum of; `nested`: likewise, what is taken off because it is
    # counted twice.
    class SeriesRow < Data.define(:name, :kind, :queue, :window, :settings, :queues, :entries, :nested)
      def initialize(name:, kind:, queue:, window:, settings: [], queues: [], entries: [], nested: [])
        super
      end

      def count = window.count

      def errors = window.errors

      # @param key [Symbol] of Window::HISTOGRAMS
      def histogram(key)
        window.histograms.fetch(key)
      end

      # @param key [Symbol] of Window::SUMS
      # @return [Integer] in its unit, all units together
      def sum(key) = window.sums.fetch(key)

      # @return [Integer, nil] nil where it is unknown
      def cpu_ns = window.cpu_unknown? ? nil : sum(:cpu_ns)

      def split = StateSplit.of(window)

      def wall_ns = histogram(:wall).sum

      def stalled_ns = histogram(:stalled).sum

      # Time for which others stalled meanwhile, all units together.
      def caused_ns = sum(:caused_ns)

      # Returns nil when there is nothing to divide by.
      def per_unit(value)
        count.zero? ? nil : value.fdiv(count)
      end

      def stall_per_acquisition
        sum(:acquisitions).zero? ? nil : stalled_ns.fdiv(sum(:acquisitions))
      end

      # Time that the GVL was kept once it was taken.
      def mean_hold
        sum(:acquisitions).zero? ? nil : histogram(:running).sum.fdiv(sum(:acquisitions))
      end

      # The hold that a thread meets on average: arriving at a random moment, it meets long holds more often,
      # by as much as they are longer.
      def met_hold
        running_ns = histogram(:running).sum
        squares_us2 = sum(:hold_squares_us2)
        (running_ns.zero? || squares_us2.zero?) ? nil : squares_us2 * 1e6 / running_ns
      end

      def error_share = per_unit(errors)

      # The share that perfm and most articles call "io %": everything idle (not only io) against running and
      # idle, stall left out. {StateSplit} says how much of it really was io.
      def idle_share
        busy = histogram(:running).sum + histogram(:idle).sum
        busy.zero? ? nil : histogram(:idle).sum.fdiv(busy)
      end

      # Share of the elapsed time that was idle or stalled.
      def idle_and_stall_share
        total = histogram(:running).sum + histogram(:idle).sum + stalled_ns
        total.zero? ? nil : (histogram(:idle).sum + stalled_ns).fdiv(total)
      end

      # Where the elapsed time of some units went: states that add up to it.
      #
      #   running = cpu + starved; idle = io + lock + sleep + native; wall = running + stalled + idle
      #
      # Where the CPU time is unknown (Window#cpu_unknown?), cpu is all of running, and io has native.
      StateSplit = Data.define(*UnitNumbers::STATES.keys) do
        # A state that is not given had no time.
        def initialize(**states)
          super(**StateSplit::NOTHING, **states)
        end

        def self.of(window)
          states = UnitNumbers::STATES.transform_values { |sum| window.sums[sum] }
          new(**states, cpu: window.most_cpu_ns, stalled: window.stalled_ns)
        end

        # Equals the measured wall time up to the rounding of single units.
        def total = to_h.values.sum

        def share(state)
          total.zero? ? 0.0 : public_send(state).fdiv(total)
        end

        def largest
          members.max_by { |state| public_send(state) }
        end
      end
      StateSplit::NOTHING = StateSplit.members.to_h { |state| [state, 0] }.freeze

      # Turns entries of a WindowTable into rows by name (with kind and queue), host, role, revision, setting,
      # process, queue, priority.
      class Grouping
        BY = %i[name host role revision setting process queue priority].freeze
        # Rows of units without a queue: one for requests, one for jobs of a runner without queues.
        NO_QUEUE = "-"
        # Rows of processes without such a name.
        UNNAMED = "-"
        SORT = {stalled: :stalled_ns, caused: :caused_ns, wall: :wall_ns, count: :count}.freeze

        # @param by [Symbol] one of BY
        # @param sort [Symbol] a key of SORT
        def initialize(entries, by:, sort:, settings:)
          @entries = entries
          @by = by
          @sort = SORT.fetch(sort)
          @settings = settings
        end

        def rows
          rows = @entries.group_by { |entry| key(entry) }.map { |key, entries| row(key, entries) }
          rows.sort_by { |row| order(row) }
        end

        private

        # Priorities are in their own order, in each queue.
        def order(row)
          return [-row.public_send(@sort), row.name] unless @by == :priority
          [row.queue.to_s, Integer(row.name, exception: false) || Float::INFINITY]
        end

        def key(entry)
          case @by
          when :name, :process, :priority then entry.series.to_h.values_at(:name, :kind, :queue)
          when :queue then [entry.series.queue || NO_QUEUE, entry.series.kind, entry.series.queue]
          when :setting then [@settings.name(entry.setting), nil, nil]
          when :host then [entry.window.host || UNNAMED, nil, nil]
          when :role then [entry.setting&.role || UNNAMED, nil, nil]
          when :revision then [(entry.setting&.[]("revision") || UNNAMED).to_s, nil, nil]
          end
        end

        def row((name, kind, queue), entries)
          settings = entries.filter_map { |entry| entry.setting&.fingerprint }.uniq
          queues = entries.map { |entry| entry.series.queue }.uniq
          window = WindowTable::WindowSum.sum(entries.map(&:window))
          SeriesRow.new(name:, kind:, queue:, settings:, queues:, window:, entries:)
        end
      end
    end
  end
end
