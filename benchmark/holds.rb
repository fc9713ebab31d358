# frozen_string_literal: true

require "holdup/agent/child_environment"
require_relative "support/bench"

module Bench
  # What it costs to know which method keeps the others waiting, while one always does.
  class Holds
    ARMS = %w[none sampled].freeze
    COLUMNS = ["", "CPU, ms, median (min..max)", "added", "samples a second", "CPU of sampling itself"].freeze
    # Of a core: CPU of sampling over the elapsed time.
    LIMIT = 0.5

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @turns = quick ? [3, 10] : [9, 60]
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS, @rounds) { |arm| Fresh.call("holds", arm, @turns, options: []) }
      Result.new(title: "Samples of long holds", about:, tables: [ResultTable.new(COLUMNS, rows)], budgets:)
    end

    private

    def about
      "Four threads wait for one that holds the GVL #{@turns} times for some 40 ms, under 60 frames. " \
        "#{@rounds} rounds, each arm in a fresh process every round, in changing order. The last column " \
        "is measured inside: the watching thread and the stacks, over the elapsed time."
    end

    def rows
      ARMS.map do |arm|
        sampled = arm == "sampled"
        [sampled ? "sampled" : "not sampled", Spread.of(cpu(arm)).to_s, sampled ? added.to_s : "",
          format("%.0f", Spread.of(rates(arm)).median), sampled ? format("%.2f %%", own) : ""]
      end
    end

    def cpu(arm) = @samples[arm].map { |sample| sample["cpu"] / 1e6 }

    def added
      Spread.paired(cpu("sampled"), cpu("none")) { |with, bare| with - bare }
    end

    def rates(arm) = @samples[arm].map { |sample| sample["taken"] * 1e9 / sample["elapsed"] }

    def own
      Spread.of(@samples["sampled"].map { |sample| 100.0 * sample["own"] / sample["elapsed"] }).median
    end

    def budgets = [Budget.new("sampling under a convoy", LIMIT, own, "% of a core")]
  end

  # Whether the samples name the methods that keep the others waiting: against planted ones, on both Rubies.
  class HoldTruth
    SECONDS = 300
    COLUMNS = ["", "method", "planted, %", "sampled, %", "off by, points"].freeze
    # In points; and of the stall of all samples, of methods that were not planted.
    LIMIT, STRANGE = 10, 2
    # What Bundler has set is for the Ruby that runs the bench.
    ENVIRONMENT = Holdup::ChildEnvironment.new(ENV).without_bundle.with("RUBYOPT" => nil).to_h.freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @seconds = quick ? 5 : SECONDS
    end

    # @return [Result]
    def call
      @found = rubies.to_h { |version, options| [version, measure(**options)] }
      Result.new(title: "Methods that hold the GVL, against planted ones", about:,
        tables: [ResultTable.new(COLUMNS, rows)], budgets:, notes:)
    end

    private

    # @return [Hash{String => Hash}] version => options of Fresh; without the second Ruby only ours
    def rubies
      cache, version = ENV.values_at("HOLDUP_CACHE", "HOLDUP_SECOND")
      path = "#{cache}/ruby-#{version}/bin/ruby"
      second = {version => {ruby: path}} if version && version != RUBY_VERSION && File.executable?(path)
      {RUBY_VERSION => {}, **second.to_h}
    end

    def measure(**options)
      found = Fresh.call("hold_truth", @seconds, options: [], env: ENVIRONMENT, seconds: @seconds + 60,
        **options)
      {**found, "planted" => shares(found["planted"]), "sampled" => shares(found["sampled"])}
    end

    # @return [Hash{String => Float}] %
    def shares(sums) = sums.transform_values { |ns| 100.0 * ns / sums.values.sum }

    def about
      "Four threads wait for one that holds the GVL for some 40 ms again and again, for #{@seconds} s: of " \
        "ten holds six in C code that checks no interrupts, three in garbage collection, one in Ruby. What " \
        "each method really caused is what its requests say."
    end

    def rows
      @found.flat_map do |version, found|
        methods = found["planted"].keys | found["sampled"].keys
        methods.map do |name|
          planted, sampled = found.values_at("planted", "sampled").map { |shares| shares.fetch(name, 0.0) }
          ["Ruby #{version}", name, *[planted, sampled].map { |share| format("%.1f", share) },
            format("%+.1f", sampled - planted)]
        end
      end
    end

    def notes
      @found.map { |version, found| "Ruby #{version}: #{found["taken"]} samples, #{found["missed"]} missed." }
    end

    def budgets
      @found.flat_map do |version, found|
        off = found["planted"].map { |name, share| (found["sampled"].fetch(name, 0.0) - share).abs }.max
        strange = found["sampled"].except(*found["planted"].keys).values.sum
        [Budget.new("Ruby #{version}, a method's share", LIMIT, off, "points"),
          Budget.new("Ruby #{version}, methods that were not planted", STRANGE, strange, "%")]
      end
    end
  end
end
