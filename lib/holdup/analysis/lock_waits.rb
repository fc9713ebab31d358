# frozen_string_literal: true

module Holdup
  module Analysis
    # How long the chosen requests and jobs wait for locks (Mutex, Monitor, Queue, ConditionVariable and the
    # like), by name; where in the code, and who ends these waits.
    class LockWaits
      # Share of the time of a name from which its waits are worth a sentence.
      MENTIONED = 0.05

      # Of the requests or jobs of one name. `pool_ns`: what they waited for database connections, which may
      # be in `lock_ns`
      LockWaiter = Data.define(:name, :count, :lock_ns, :pool_ns, :wall_ns) do
        # @return [Float] 0.0..1.0, without the waits for connections
        def share = wall_ns.zero? ? 0.0 : [lock_ns - pool_ns, 0].max.fdiv(wall_ns)

        # @return [Float] ns for each request or job
        def each_ns = count.zero? ? 0.0 : lock_ns.fdiv(count)
      end

      # A place in the code where waits have samples: long ones do.
      #
      # - `name`: of requests or jobs, or of a thread's account; `label`, `path`, `line`: as of a MethodLine
      # - `primitive`: what it waits in ("Mutex"); nil where it only ends the waits of others
      # - `wait_ns`: how long it waited there; `ended_ns`: how long others had waited whose waits it ended
      #   there; `samples`: waits
      LockPlace = Data.define(:name, :label, :path, :line, :primitive, :wait_ns, :ended_ns, :samples) do
        # @param windows [Array<Holdup::Window>] of kind :lock_place, of one series
        def self.of(windows)
          place = MethodLine.place(windows.first)
          new(name: place.name, label: place.label, path: place.path, line: place.line,
            primitive: place.called&.[](/\A(?:Thread::)?(\w+)/, 1), wait_ns: windows.sum(&:lock_ns),
            ended_ns: windows.sum { |window| window.sums[:caused_ns] }, samples: windows.sum(&:count))
        end

        # @return [String, nil] "app/models/cart.rb:12"
        def location
          line ? "#{path}:#{line}" : path
        end
      end

      # @param entries [Array<WindowTable::WindowEntry>] of the chosen requests and jobs
      # @param pairs [#call] the StallPairs::StallPair of waits for locks, longest first
      # @param places [#call] the windows of kind :lock_place
      def initialize(entries, pairs:, places:)
        @entries = entries
        @pairs = pairs
        @places = places
      end

      # @return [Array<LockWaiter>] those that wait for locks, longest first
      def names
        @names ||= @entries.group_by { |entry| entry.series.name }
          .map { |name, same| waiting(name, same.map(&:window)) }
          .select { |line| line.lock_ns.positive? }.sort_by { |line| [-line.lock_ns, line.name] }
      end

      # @return [Array<LockWaiter>] those that wait for a tenth of their time and matter
      def notable
        all_ns = @entries.sum { |entry| entry.window.histograms[:wall].sum }
        least_ns = ConnectionWaits::WEIGHTY * all_ns
        names.select { |line| line.share >= ConnectionWaits::NOTABLE && line.lock_ns >= least_ns }
      end

      # @param name [String]
      # @return [Array<StallPairs::StallPair>] by whom its waits were ended, the largest part first; empty
      #   where it was not recorded
      def ended_by(name) = @pairs.call.select { |pair| pair.victim.name == name }

      # @return [Array<LockPlace>] of the chosen requests and jobs, and of those who end their waits; those
      #   where they waited for longest first
      def places
        @chosen_places ||= begin
          involved = names.map(&:name) | @pairs.call.map { |pair| pair.causer.name }
          all_places.select { |place| involved.include?(place.name) }
        end
      end

      # @return [LockPlace, nil] where it waits for longest; nil without a sample
      def waits_at(name) = place_of(name, &:wait_ns)

      # @return [LockPlace, nil] where that one, a request, job or thread, ends most of the waits of others
      def ends_at(name) = place_of(name, &:ended_ns)

      private

      def waiting(name, windows)
        LockWaiter.new(name:, count: windows.sum(&:count), pool_ns: windows.sum(&:pool_wait_ns),
          lock_ns: windows.sum(&:lock_ns),
          wall_ns: windows.sum { |window| window.histograms[:wall].sum })
      end

      def all_places
        @all_places ||= @places.call.group_by(&:series).values.map { |same| LockPlace.of(same) }
          .sort_by { |place| [-place.wait_ns, -place.ended_ns, place.name, place.label] }
      end

      def place_of(name, &time)
        found = all_places.select { |place| place.name == name && time.call(place).positive? }
        found.max_by(&time)
      end
    end
  end
end
