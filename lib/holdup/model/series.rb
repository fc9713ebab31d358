# frozen_string_literal: true

module Holdup
  # What is measured together: all units of one kind, name and queue.
  #
  # Jobs in a process also have `pool` (name of the Servers::Pool whose threads ran them) and `priority`
  # (text). The store does not combine them with each name, which would make a series for each combination; it
  # counts the same units again by pool and by priority for each queue (`views`).
  #
  # Kinds: `:request` and `:job` are units. Accounts make the totals exact:
  # - `:account`: a thread outside of units ("thread:<name>", "main", "native"); "(handoff)" has in
  #   `caused_ns` the stall while no thread held the GVL
  # - `:nested`: units inside another unit of the same thread, counted in both: subtract it from totals
  # - `:overflow`: units beyond the series limit
  # - views, whose time is in other series too: `:process`: one process over all its units ("worker 0", "pid
  #   123"); `:pool`, `:priority`: jobs of a queue; `:call`: calls of the units of that name to another
  #   system, which `queue` names ("sql primary"); `:method`: stall that they caused at a place in the code,
  #   which `queue` names (Analysis::MethodLine); `:repeat`: queries that they repeat at such a place;
  #   `:transaction`: database transactions that they open, of the database that `queue` names ("sql
  #   primary"); `:transaction_call`: their calls while one was open, which are in `:call` too;
  #   `:pair`: time that they, or a thread of that name, waited for the GVL while those that `queue` names
  #   held it; `:pool_pair`: time that they waited for connections of a pool that those held; `:lock_pair`:
  #   time that they waited for locks and the like until those ended it; `:lock_place`: of some of these
  #   waits, in `lock_ns` how long they waited at a place in the code, which `queue` names, and in `caused_ns`
  #   how long others had waited when they ended it there
  Series = Data.define(:kind, :name, :queue, :pool, :priority) do
    # @param queue [String, nil] like pool and priority, for jobs only
    def initialize(kind:, name:, queue: nil, pool: nil, priority: nil)
      unless self.class::KINDS.include?(kind)
        raise ArgumentError, "kind is one of #{self.class::KINDS.join(", ")}, not #{kind.inspect}"
      end
      super(kind:, name: -name, queue: queue && -queue, pool: pool && -pool, priority: priority && -priority)
    end

    # Whether it counts units (and so has a count).
    def unit? = self.class::UNITS.include?(kind)

    # Whether its time is in other series too.
    def view? = self.class::VIEWS.include?(kind)

    # Whether it is about who waited for whom.
    def pair? = self.class::PAIRS.include?(kind)

    # Without pool and priority.
    def plain
      (pool || priority) ? with(pool: nil, priority: nil) : self
    end

    # The views that count its units too.
    def views
      return self.class::NO_VIEWS unless pool || priority
      {pool:, priority:}.filter_map { |kind, name| Series.new(kind:, name:, queue:) if name }
    end
  end

  Series::KINDS = %i[request job account nested overflow process pool priority call method
    repeat transaction transaction_call pair pool_pair lock_pair lock_place].freeze
  Series::NO_VIEWS = [].freeze
  Series::UNITS = %i[request job overflow].freeze
  Series::VIEWS = %i[process pool priority call method repeat transaction transaction_call pair
    pool_pair lock_pair lock_place].freeze
  # A window of such a series has one number, see Window.of_pair.
  Series::PAIRS = %i[pair pool_pair lock_pair].freeze
  # What the name of a thread outside of units begins with.
  Series::THREAD = "thread:"
  # Of a pair, names that stand for no series: nobody held the GVL (hand-off), several more held it (or the
  # connections), it is not known who did; and those who waited were never recorded.
  Series::NAMELESS = {"(nobody)" => :nobody, "(others)" => :others, "(unknown)" => :unknown,
                      "(not recorded)" => :unrecorded}.freeze
  # Stall while no thread held the GVL.
  Series::HANDOFF = Series.new(kind: :account, name: "(handoff)")
end
