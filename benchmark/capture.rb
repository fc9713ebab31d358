# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # What a capture costs while it is on, and what becomes of a million events.
  class Capture
    OURS = ["holdup probe", "holdup capture", "holdup capture with stacks",
      "holdup capture sampled by vernier"].freeze
    # rperf is for Ruby 3.4 and up.
    PEERS = ["vernier", "gvl-tracing", *("rperf" if RUBY_VERSION >= "3.4")].freeze
    ARMS = ["none", *OURS, *PEERS].freeze
    RELEASES = ["one release and reacquire", "ns, median (min..max)", "added over none", "over holdup probe",
      "of the time, at 100,000 events a second"].freeze
    LOAD = ["at some 100,000 events a second", "CPU us a round, median (min..max)", "added over none",
      "over holdup probe"].freeze
    # A release and reacquire is three events.
    RELEASES_A_SECOND = 100_000 / 3.0
    # A machine that computes at two speeds shows 3 % only in many rounds.
    LOADED = 4
    RING_LIMIT = 2
    STACKS_LIMIT = 3

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @releases, @load, @events = quick ? [2, 5_000, 500, 30_000] : [5, 50_000, 4_000, 1_000_000]
    end

    # @return [Result]
    def call
      @single = Rounds.call(ARMS, @rounds) { |tool| Fresh.call("release", tool, 1, @releases) }
      @loaded = Rounds.call(ARMS, LOADED * @rounds) { |tool|
        Fresh.call("capture_load", tool, @load) / 1000.0
      }
      @file = Fresh.call("capture", @events)
      Result.new(
        title: "A capture",
        about:,
        tables: [
          ResultTable.new(RELEASES, release_rows),
          ResultTable.new(LOAD, load_rows),
          ResultTable.new(["", ""], file_rows)
        ],
        budgets:,
        notes:
      )
    end

    private

    def about
      "One release and reacquire of the GVL, as above, while a capture is on: its three events go to the " \
      "ring. Then a load of 25 us of Ruby and one release, " \
        "again and again, on a stack as deep as that of a Rails request, in CPU time of the whole " \
        "process. Below, what becomes of #{@events} events once they are kept, in CPU time of another " \
        "process."
    end

    def release_rows
      ARMS.map do |tool|
        [tool, Spread.of(@single[tool]).to_s, added(@single, tool, "none").to_s,
          OURS.include?(tool) ? added(@single, tool, OURS.first).to_s : "", percent_of_releases(tool)]
      end
    end

    def percent_of_releases(tool)
      (tool == "none") ? "" : format("%+.2f %%", share(tool, "none"))
    end

    def share(tool, base)
      added(@single, tool, base).median * RELEASES_A_SECOND / 1e9 * 100
    end

    def load_rows
      ARMS.map { |tool|
        [tool, Spread.of(@loaded[tool]).to_s(2),
          *["none", OURS.first].map { |base| loaded_percent(tool, base) }]
      }
    end

    def loaded_percent(tool, base)
      (tool == base || (base != "none" && !OURS.include?(tool))) ? "" : format("%+.2f %%", loaded(tool, base))
    end

    def loaded(tool, base)
      added(@loaded, tool, base) { |with, without| (with / without - 1) * 100 }.median
    end

    # Round by round.
    def added(samples, tool, base, &block)
      Spread.paired(samples[tool], samples[base], &block || ->(with, without) { with - without })
    end

    def file_rows
      @file.map { |name, figure| [name.tr("_", " "), figure.round(1).to_s] }
    end

    def budgets
      [
        Budget.new(
          "The ring at 100,000 events a second, of the time", RING_LIMIT,
          share(OURS[1], OURS.first), "%"
        ),
        Budget.new("The ring and stacks at some 100,000 events a second, of the CPU time", STACKS_LIMIT,
          loaded(OURS[2], OURS.first), "%")
      ]
    end

    def notes
      [
        "vernier samples stacks each 0.5 ms of all threads and keeps the events as markers; gvl-tracing " \
        "prints each event, here to nowhere; rperf samples each ms and at each switch.",
        "vernier samples for a capture each 10 ms, and only while there are fewer than 3,000 events a " \
        "second: here it shows what its hook takes at each switch.",
        "\"holdup probe\" is measuring without a capture. The load's other thread wakes up 200 times a " \
        "second."
      ]
    end
  end
end
