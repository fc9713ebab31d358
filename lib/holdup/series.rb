# frozen_string_literal: true

module Holdup
  # What is measured together: all units of one kind, name and queue.
  #
  # Kinds: `:request` and `:job` are units. The rest are books that make the totals exact:
  # - `:account`: a thread outside of any unit ("thread:<name>", "main", "native"); "(handoff)" carries in `caused_ns`
  #   what was stalled while nobody held the GVL
  # - `:nested`: units inside another unit of the same thread, which count in both; subtract it from totals
  # - `:overflow`: units beyond the series limit
  # - `:process`: one process over all its units ("worker 0", "pid 123")
  Series = Data.define(:kind, :name, :queue) do
    # @param kind [Symbol] one of KINDS
    # @param name [String]
    # @param queue [String, nil] jobs only
    def initialize(kind:, name:, queue: nil)
      raise ArgumentError, "kind is one of #{self.class::KINDS.join(", ")}, not #{kind.inspect}" unless self.class::KINDS.include?(kind)
      super(kind:, name: -name, queue: queue && -queue)
    end

    # @return [Boolean] whether it counts units (and so has a count)
    def unit? = self.class::UNITS.include?(kind)
  end

  Series::KINDS = %i[request job account nested overflow process].freeze
  Series::UNITS = %i[request job overflow].freeze
end
