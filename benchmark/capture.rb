# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # What a capture costs while it is on, and what becomes of a million events.
  class Capture
    ARMS = ["none", "holdup probe", "holdup capture", "vernier"].freeze
    COLUMNS = ["", "ns, median (min..max)", "added over holdup probe", "of the time, at 100,000 events a second"].freeze
    # A release and reacquire is three events.
    RELEASES_A_SECOND = 100_000 / 3.0
    LIMIT = 2

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @releases, @events = quick ? [3, 50_000, 30_000] : [9, 300_000, 1_000_000]
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS, @rounds) { |tool| Fresh.call("release", tool, 1, @releases) }
      @files = Array.new([@rounds, 3].min) { Fresh.call("capture", @events) }
      Result.new(title: "A capture", about:, tables: [Table.new(COLUMNS, rows), Table.new(["", "median (min..max)"], file_rows)], budgets:)
    end

    private

    def about
      "One release and reacquire of the GVL, as above, while a capture is on: its three events go to the ring. vernier beside it " \
        "records them too, and samples stacks. Below, what becomes of #{@events} events once they are kept, in CPU time of another process."
    end

    def rows = ARMS.map { |tool| [tool, Spread.of(@samples[tool]).to_s, added(tool).to_s, (tool == "none") ? "" : format("%+.2f %%", percent(tool))] }

    # Round by round.
    def added(tool) = Spread.paired(@samples[tool], @samples["holdup probe"]) { |with, without| with - without }

    def percent(tool) = added(tool).median * RELEASES_A_SECOND / 1e9 * 100

    def file_rows = @files.first.keys.map { |name| [name.tr("_", " "), Spread.of(@files.map { |file| file[name] }).to_s] }

    def budgets = [Budget.new("A capture at 100,000 events a second, of the time", LIMIT, percent("holdup capture"), "%")]
  end
end
