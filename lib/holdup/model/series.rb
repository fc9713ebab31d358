# frozen_string_literal: true

module Holdup
  # What is measured together: all units of one kind, name and queue.
  #
  # A process keeps jobs apart by more: `pool`, the group of threads that ran them (the name of a
  # Servers::Pool), and `priority`, as text. The store keeps neither with each name: there would be a series
  # for each combination. It counts the same units again by pool and by priority, for each queue (`views`).
  #
  # Kinds: `:request` and `:job` are units. The rest are accounts that make the totals exact:
  # - `:account`: a thread outside of any unit ("thread:<name>", "main", "native"); "(handoff)" carries in
  #   `caused_ns` what was stalled while no thread held the GVL
  # - `:nested`: units inside another unit of the same thread, which count in both; subtract it from totals
  # - `:overflow`: units beyond the series limit
  #
  # and views, which count the same units again:
  # - `:process`: one process over all its units ("worker 0", "pid 123")
  # - `:pool`, `:priority`: jobs of a queue by the threads that ran them, and by their priority
  Series = Data.define(:kind, :name, :queue, :pool, :priority) do
    # @param kind [Symbol] one of KINDS
    # @param queue [String, nil] jobs only
    # @param pool [String, nil] jobs only
    # @param priority [String, nil] jobs only
    def initialize(kind:, name:, queue: nil, pool: nil, priority: nil)
      unless self.class::KINDS.include?(kind)
        raise ArgumentError, "kind is one of #{self.class::KINDS.join(", ")}, not #{kind.inspect}"
      end
      super(kind:, name: -name, queue: queue && -queue, pool: pool && -pool, priority: priority && -priority)
    end

    # @return [Boolean] whether it counts units (and so has a count)
    def unit? = self.class::UNITS.include?(kind)

    # @return [Boolean] whether its units are in other series already
    def view? = self.class::VIEWS.include?(kind)

    # @return [Series] without pool and priority
    def plain
      (pool || priority) ? with(pool: nil, priority: nil) : self
    end

    # @return [Array<Series>] the views that its units are in too
    def views
      {pool:, priority:}.filter_map { |kind, name| Series.new(kind:, name:, queue:) if name }
    end
  end

  Series::KINDS = %i[request job account nested overflow process pool priority].freeze
  Series::UNITS = %i[request job overflow].freeze
  Series::VIEWS = %i[process pool priority].freeze
  # The account of what was stalled while no thread held the GVL.
  Series::HANDOFF = Series.new(kind: :account, name: "(handoff)")
end
