# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/coverage/plan"
require_relative "support/coverage/trial"
require_relative "support/coverage/workers"

module Bench
  # How often intervals contain what they should, and how far ceilings are off: of simulated recordings, in
  # which everything is known.
  class Coverage
    # What an interval of 90 % may miss.
    MISSED = 15.0
    # What is said with 90 % may be wrong so often, %.
    WRONG = 12.0
    # Variable with a folder that keeps each group of simulations: a run that was stopped goes on there.
    KEPT = "BENCH_RECORDINGS"
    QUICK_CELLS = [0.0, 0.2].product([0, 70_000]).freeze
    NAMES = {open: "open", closed: "closed", mostly_closed: "mixed, 70 % closed",
             mostly_open: "mixed, 30 % closed"}.freeze
    GROWTH_COLUMNS = ["arrivals", "recordings", "growth in the interval, %", "below it, %",
      "above it, %", "mean width, points", "recognised where there is one, %"].freeze
    SIZE_COLUMNS = ["arrivals: growth in the interval, % (width, points)",
      *Plan::UNITS.map { |units| "#{units} units" }].freeze
    ADVICE_COLUMNS = ["arrivals", "advised", "self-test A, B, C", "gains", "gain in the interval, %",
      "mean width, points", "ceiling of the own setting: error, %, median", "largest",
      "of three others: median", "largest"].freeze

    CERTAIN_COLUMNS = ["arrivals", "self-test C", "something is certain", "statements", "true, %"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @plan = if quick
        Plan.new(rounds: 2, advised: 1, cells: QUICK_CELLS)
      else
        Plan.new(rounds: 8, advised: 2, more_open: 3)
      end
    end

    # @return [Result]
    def call
      groups = @plan.groups.each_with_index.to_a
      @found = Workers.map(groups) { |group, index| kept(index) { trials(group) } }.flatten
      Result.new(title: "The intervals and ceilings of the models, simulated", about:,
        tables: [growth, sizes, advice, certain], budgets:, notes:)
    end

    private

    # @param index [Integer] of a group
    # @return [Array<Found>]
    def kept(index)
      folder = ENV.fetch(KEPT, nil) or return yield
      path = File.join(folder, "coverage-#{index}")
      return Marshal.load(File.binread(path)) if File.exist?(path) # rubocop:disable Security/MarshalLoad
      yield.tap do |found|
        FileUtils.mkdir_p(folder)
        File.binwrite("#{path}.new", Marshal.dump(found))
        File.rename("#{path}.new", path)
      end
    end

    def trials(group)
      truth = Truth.new(group.first.planted)
      group.map { |drawn| Trial.new(drawn, truth:).call }
    end

    def of(arrivals)
      @found.select { |found| found.planted.arrivals == arrivals }
    end

    def growth
      ResultTable.new(GROWTH_COLUMNS, NAMES.map { |arrivals, name| [name, *growth_cells(of(arrivals))] })
    end

    def growth_cells(found)
      growing = found.select { |one| one.planted.growth.positive? }
      intervals = found.map(&:growth)
      [found.size.to_s, percent(intervals.count(&:covers?), found.size),
        percent(intervals.count { |one| one.planted < one.low }, found.size),
        percent(intervals.count { |one| one.planted > one.high }, found.size), width(intervals),
        percent(growing.count(&:grows), growing.size)]
    end

    def sizes
      rows = NAMES.map do |arrivals, name|
        by_size = of(arrivals).group_by { |found| found.planted.units }
        [name, *Plan::UNITS.map { |units| size_cell(by_size.fetch(units, []).map(&:growth)) }]
      end
      ResultTable.new(SIZE_COLUMNS, rows)
    end

    def size_cell(intervals)
      "#{percent(intervals.count(&:covers?), intervals.size)} (#{width(intervals)})"
    end

    def advice
      ResultTable.new(ADVICE_COLUMNS, NAMES.map { |arrivals, name| [name, *advice_cells(of(arrivals))] })
    end

    def advice_cells(found)
      advised = found.select(&:grade)
      grades = advised.map(&:grade).tally
      gains = advised.filter_map(&:gain)
      [advised.size.to_s, %i[a b c].map { |grade| grades.fetch(grade, 0) }.join(", "), gains.size.to_s,
        percent(gains.count(&:covers?), gains.size), width(gains), *errors(trusted(found).map(&:own)),
        *errors(trusted(found).flat_map(&:others))]
    end

    # What is said although the self-test is C.
    def certain
      ResultTable.new(CERTAIN_COLUMNS, NAMES.map { |arrivals, name| [name, *certain_cells(of(arrivals))] })
    end

    def certain_cells(found)
      refused = found.select { |one| one.grade == :c }
      said = refused.filter_map(&:claims)
      claims = said.flatten
      [refused.size.to_s, said.size.to_s, claims.size.to_s, percent(claims.count(&:true?), claims.size)]
    end

    # What the self-test doubts is no advice.
    def trusted(found)
      found.select { |one| %i[a b].include?(one.grade) }
    end

    def errors(shares)
      return ["-", "-"] if shares.empty?
      sorted = shares.map(&:abs).sort
      [sorted[sorted.size / 2], sorted.last].map { |share| format("%.1f", share * 100) }
    end

    def width(intervals)
      intervals.empty? ? "-" : format("%.1f", intervals.sum(&:width) / intervals.size * 100)
    end

    def percent(part, all)
      all.zero? ? "-" : format("%.0f", 100.0 * part / all)
    end

    def budgets = [*intervals_missed, *wrong_claims]

    def wrong_claims
      claims = @found.filter_map(&:claims).flatten
      return [] if claims.empty?
      share = 100.0 * claims.count { |claim| !claim.true? } / claims.size
      [Budget.new("statements of nine of ten explanations that are wrong", WRONG, share, "%")]
    end

    def intervals_missed
      {"growth" => :growth, "gain" => :gain}.flat_map do |name, interval|
        NAMES.filter_map do |arrivals, kind|
          intervals = of(arrivals).filter_map(&interval)
          missed(name, kind, intervals) if intervals.any?
        end
      end
    end

    def missed(name, kind, intervals)
      share = 100.0 * intervals.count { |one| !one.covers? } / intervals.size
      Budget.new("#{kind}: 90 % intervals without the planted #{name}", MISSED, share, "%")
    end

    def about
      growths = Plan::GROWTHS.map { |growth| (growth * 100).round }.join(", ")
      loads = Plan::LOADS.map { |load| (load * 100).round }.join(", ")
      "The replay simulates recordings of 1 x 5 and 2 x 5 (processes x threads) with three unlike " \
      "endpoints: 50 ms with the GVL and 141 acquisitions on average. Planted are a growth of " \
      "#{growths} % for each doubling in flight, and hand-offs of 0, 20, 70 and 200 us, or from 20 to 200 " \
      "and from 200 to 20 us by the number of waiting threads. Open: Poisson at #{loads} % of what the " \
      "setting serves; closed: ramps of #{Planted::CONNECTIONS.join(", ")} connections a process; mixed: " \
      "one after the other. #{@found.size} recordings."
    end

    def notes
      ["The gain is that of a change to #{Trial::ADVISED.join(" x ")}, at the load of the recording " \
        "(closed and mixed: with the most connections); the true one is that of #{Truth::UNITS} simulated " \
        "requests. Gains and ceilings are those of recordings whose self-test is not C.",
        "Below #{SIZING::Sufficiency::UNITS} requests, or within a minute, there is no advice."]
    end
  end
end
