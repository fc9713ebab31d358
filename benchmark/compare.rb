# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/storefront_server"

module Bench
  # Whether `holdup compare` finds what is there and nothing else: the storefront without and with YJIT,
  # several boots of each.
  class Compare
    # In the worker and not in the master, which Ruby 3.4's YJIT may end (puma/puma#3620, Ruby's bug 21941): a
    # Puma that is paused meets it in a minute.
    ARMS = {"YJIT off" => {"BENCH_JIT" => "off", "HOLDUP_JIT" => "off"},
            "YJIT on" => {"BENCH_JIT" => "off", "HOLDUP_JIT" => "on"}}.freeze
    # A process's first two minutes are left out, so the first round begins after them.
    WARM_UP_SECONDS = 125
    # The collector comes by every ten.
    FLUSH_SECONDS = 12
    METRICS = %i[wall_p50 wall_p95 wall_mean cpu_unit].freeze
    COLUMNS = ["", "off to on, %", "pairs that find it", "on again, %", "shown from, %"].freeze
    FALSE_ALARMS = 2

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @boots, @rounds, @seconds, @warm_up_s = quick ? [2, 2, 2, 0] : [5, 9, 5, WARM_UP_SECONDS]
    end

    # @return [Result]
    def call
      @sides = Fresh.scratch { |scratch| Shop.open { |shop| sides(servers(shop, scratch)) } }
      table = ResultTable.new(COLUMNS, METRICS.map { |name| row(name) })
      Result.new(title: "Comparing", about:, tables: [table],
        budgets:, notes:)
    end

    private

    def servers(shop, scratch)
      ARMS.flat_map { |arm, env|
        Array.new(@boots) { |boot|
          [[arm, boot],
            StorefrontServer.new("holdup", shop:, scratch:, name: "#{arm} #{boot}", env:,
              pause: false)]
        }
      }.to_h
    end

    # @return [Hash{String => Array<Holdup::Compare::Side>}] one for each boot
    def sides(servers)
      from_s = Time.now.to_i
      servers.each_value { |server| server.boot.measure(@seconds) }
      sleep([from_s + @warm_up_s - Time.now.to_i, 0].max)
      warm_s = Time.now.to_i
      Rounds.call(servers.keys, @rounds) { |key| servers.fetch(key).measure(@seconds) }
      sleep(FLUSH_SECONDS)
      read(servers, minute(from_s), minute((warm_s + Time.now.to_i) / 2), Time.now.to_i)
    end

    # Boots without YJIT as halves as well.
    def read(servers, from_s, middle_s, to_s)
      boots = servers.group_by { |(arm, _), _| arm }.transform_values(&:to_h)
      @halves = boots.fetch(ARMS.keys.first).values.map { |server|
        [side(server, from_s, middle_s), side(server, middle_s, to_s)]
      }
      boots.transform_values { |own| own.values.map { |server| side(server, from_s, to_s) } }
    end

    def minute(second) = second - second % 60

    def side(server, from_s, to_s)
      store = Holdup::Store.open(server.store, read_only: true)
      Holdup::Compare::Reader.new(store, from_s:, to_s:,
        filter: Holdup::Analysis::UnitFilter.new(kind: :request)).side("boot")
    ensure
      store&.close
    end

    # Each boot with each other of the same.
    def equals
      @equals ||= compare(@sides.values.flat_map { |same| same.combination(2).to_a })
    end

    # The first half of each boot against the second of each other: as with --before and --after.
    def later
      @later ||= compare(@halves.permutation(2).map { |one, other| [one.first, other.last] })
    end

    def unlikes
      @unlikes ||= compare(@sides.values.transpose)
    end

    def compare(pairs)
      pairs.map { |one, other| Holdup::Compare::Comparison.new(one, other) }
    end

    def row(name)
      found, same = [unlikes, equals].map { |comparisons|
        comparisons.map { |comparison| comparison.estimates[name] }
      }
      [
        name.to_s.tr("_", " "),
        percent(found.map(&:relative)),
        "#{found.count { |estimate| estimate.verdict == :better }} of #{found.size}",
        percent(same.map(&:relative)),
        percent(found.filter_map(&:visible))
      ]
    end

    def percent(shares)
      shares.empty? ? "-" : Spread.of(shares.map { |share| share * 100 }).to_s(1)
    end

    def alarms(comparisons)
      comparisons.count { |comparison| !%i[none unknown].include?(comparison.verdict.key) }
    end

    def budgets
      {"Comparisons of equals" => equals, "Comparisons of equals at two times" => later}
        .map { |what, comparisons|
        Budget.new("#{what}, of #{comparisons.size}, that find a difference",
          FALSE_ALARMS, alarms(comparisons), "comparisons")
      }
    end

    def about
      "The storefront as in \"The storefront at saturation\", measured by Holdup, in #{@boots} boots " \
      "without and #{@boots} with YJIT, in #{@rounds} rounds of #{@seconds} s each in " \
        "changing order. `holdup compare`'s figures: a boot without against one with YJIT, #{@boots} " \
        "pairs; and each boot against each other of the same, #{equals.size} pairs, which " \
        "should find nothing (\"on again\" is how far they lie apart all the same). At two times: the " \
        "first half of each boot without YJIT against the second of each other, " \
        "#{later.size} comparisons of #{@halves.size * 2} halves, so they are not independent of each other."
    end

    def notes
      [
        "Verdicts. YJIT: #{verdicts(unlikes)}; equals: #{verdicts(equals)}; at two times, in " \
        "#{stretches(later)} stretches a side: #{verdicts(later)}.",
        "#{stretches(unlikes)} stretches of #{unlikes.map(&:block_s).uniq.join(", ")} s in each boot. " \
        "\"shown from\": the smallest difference that four of five comparisons would have shown."
      ]
    end

    def stretches(comparisons)
      comparisons.flat_map(&:sizes).minmax.uniq.join("..")
    end

    def verdicts(comparisons)
      comparisons.map { |comparison|
        comparison.verdict.key
      }.tally.map { |key, count| "#{key} #{count}" }.join(", ")
    end
  end
end
