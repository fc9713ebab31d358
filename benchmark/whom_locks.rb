# frozen_string_literal: true

require_relative "support/bench"
require_relative "support/whom/lock_plan"
require_relative "support/whom/pair_shares"
require_relative "support/whom/server"

module Bench
  # Who ended waits for locks, against planted work whose waits learn that from those who end them.
  class WhomLocks
    include PairShares

    # Of each, for Puma, with a request that holds the GVL. Five threads are enough: two at most wait until
    # another request gives something.
    CLIENTS = {"edit" => 2, "publish" => 2, "refresh" => 2, "rebuild" => 2, "pack" => 1, "pick" => 1,
               "buy" => 1, "ship" => 1, "load" => 1, "label" => 1, "price" => 1}.freeze
    # Of jobs, there and back, so that not always the same one is the next to give something.
    THERE = CLIENTS.flat_map { |name, count| [name] * count }.freeze
    TURN = [*THERE, *THERE.reverse].freeze
    # A connection stays with its process, so what waits in one could get nothing from the other.
    HEADERS = {"Connection" => "close"}.freeze

    COLUMNS = ["", "requests or jobs", "waits", "waited, s: known", "measured", "names compared",
      "shares: off, points at most", "pairs / lock time", "unknown, %"].freeze
    ENDER_COLUMNS = ["", "waits for a", "ended by", "planted, %", "measured, %"].freeze
    # Points; % of all waits; % of the time.
    LIMIT = 2
    UNKNOWN_LIMIT = 1
    IDENTITY = 0.01

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @seconds, @jobs = quick ? [4, 10] : [25, 60]
    end

    # @return [Result]
    # @raise [Failure]
    def call
      @recordings = {"Puma, 1 x 5" => puma(1), "Puma, 2 x 5" => puma(2),
                     "Sidekiq, 10 threads" => jobs(WhomSidekiq.new(10)),
                     "Solid Queue, 10 threads" => jobs(WhomSolidQueue.new)}
      tables = [ResultTable.new(COLUMNS, @recordings.map { |name, recording| row(name, recording) }),
        ResultTable.new(ENDER_COLUMNS, ender_rows("Puma, 1 x 5"))]
      Result.new(title: "Waits for locks: who ended them", about:, tables:, budgets:, notes:)
    end

    private

    def puma(processes)
      WhomPuma.new(processes:).record(captured: false) do |server|
        server.work(CLIENTS, @seconds, headers: HEADERS)
      end
    end

    def jobs(server)
      server.record(captured: false) { |runner| runner.work(TURN, @jobs) }
    end

    def row(name, recording)
      truth = recording.truth
      [name, truth.size.to_s, truth.lock_waits.to_s, seconds(truth.lock_pairs), seconds(recording.lock_pairs),
        compared(truth.lock_pairs).to_s, points(off(recording)), format("%.5f", identity(recording)),
        format("%.3f", unknown_share(recording.lock_pairs))]
    end

    # @return [String] for how long planted work waited for planted work
    def seconds(pairs) = format("%.2f", planted(pairs).values.sum / 1e9)

    def planted(pairs) = pairs.select { |pair, _| (pair - LockPlan::NAMES).empty? }

    # @return [Integer] names that waited long enough
    def compared(known) = LockPlan::WAITING.count { |name| shares(known, name, LockPlan::NAMES) }

    # @return [Float] points by which the share of who ended the waits of one name is off at most
    def off(recording)
      furthest([recording.truth.lock_pairs], recording.lock_pairs, LockPlan::NAMES)
    end

    # @return [Float] of the lock time of requests and jobs, what their pairs have
    def identity(recording) = recording.lock_pairs.values.sum.fdiv(recording.lock_ns)

    def ender_rows(name)
      recording = @recordings.fetch(name)
      LockPlan::WAITING.flat_map do |victim|
        known, found = [recording.truth, recording].map do |source|
          shares(source.lock_pairs, victim, LockPlan::NAMES, least_ns: 1) || Hash.new(0.0)
        end
        enders = LockPlan::NAMES.select { |ender| (known[ender] + found[ender]).positive? }
        enders.map { |ender| ender_row(victim, ender, [known[ender], found[ender]]) }
      end
    end

    def ender_row(victim, ender, shares)
      [victim, LockPlan::LOCKS.fetch(victim), ender, *shares.map { |share| format("%.1f", share) }]
    end

    def about
      "Requests and jobs that know who ended their waits: who unlocks, pushes or signals leaves its name " \
        "and the time beside what it gives up, right before it does, and the one that waited reads that. " \
        "edit and publish keep a Mutex for 4 and 15 ms, refresh and rebuild a Monitor for 3 and 12; pack " \
        "takes from a Queue what pick and buy push, and ship waits at a ConditionVariable that load and " \
        "label signal; price holds the GVL for 3 ms at a time. All at the same time. \"Off\" is the " \
        "largest difference of an ender's share in what planted work ended of one name's waits."
    end

    def notes
      ["\"pairs / lock time\": all pairs, with unknown time, over the lock time of requests and jobs, also " \
        "in the server's and the libraries' own locks. It is 1.",
        "Another request or job may take a Mutex, Monitor or item before the thread that was woken for it " \
        "runs, and that thread waits again: two waits for Holdup, with an ender each. The planted work can " \
        "know of one only, so it lets those that were woken go first.",
        "A thread outside of requests and jobs pushes and signals five times a second, so that no " \
        "thread waits for ever when the load ends. Waits that it ends are left out of the shares."]
    end

    def budgets
      @recordings.flat_map do |name, recording|
        [Budget.new("#{name}, shares of locks", LIMIT, off(recording), "points"),
          Budget.new("#{name}, identity of locks", IDENTITY, 100 * (1 - identity(recording)).abs, "%"),
          Budget.new("#{name}, unknown of locks", UNKNOWN_LIMIT, unknown_share(recording.lock_pairs), "%")]
      end
    end
  end
end
