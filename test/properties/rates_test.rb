# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/burst_store"

# Each figure per second is a number of requests by the seconds in which they were measured: whatever span is
# asked for, however long the windows are that are left, and whoever shows it.
class RatesTest < Minitest::Test
  START_S = BurstStore::START_S
  DAY_S = BurstStore::DAY_S
  PER_SECOND = 5.0

  # Processes that serve PER_SECOND each while they live.
  Life = Data.define(:from_s, :to_s, :host, :pid, :revision) do
    def setting
      Holdup::Setting.new(attributes: BurstStore::FACTS.merge("revision" => revision))
    end

    def burst
      count = ((to_s - from_s) * PER_SECOND).round
      BurstStore::Burst.new(from_s:, to_s:, count:, pid:, born_s: from_s.floor, setting:, host:)
    end
  end

  one_ruby def test_each_rate_is_that_of_the_time_in_which_requests_came
    5.times do |seed|
      random = Random.new(seed)
      lives = lives(random)
      recorded = BurstStore.new(*lives.map(&:burst), late_s: random.rand(0..5))
      BurstStore::AGES_S.each_key { |finest_s| each_rate(recorded, lives, finest_s, random) }
    end
  end

  # Half an hour at full load between two idle hours: what the first screen says of 24 hours.
  def test_the_time_of_data_is_not_that_of_its_longest_windows
    life = Life.new(from_s: 38 * 60 + 20, to_s: 64 * 60 + 20, host: "a", pid: 7, revision: "1")
    store = BurstStore.new(life.burst).open
    store.rollup(START_S + 3 * 3600)
    page = overview(store, START_S + 2 * 3600)
    assert_includes page, "You have 26 min of data"
  end

  one_ruby def test_the_load_of_the_last_minutes_is_not_that_of_an_hour
    life = Life.new(from_s: 20, to_s: 3 * 3600, host: "a", pid: 7, revision: "1")
    store = BurstStore.new(life.burst).open
    store.rollup(START_S + 3 * 3600 + 120)
    [3 * 3600, 3 * 3600 - 29, 2 * 3600 + 30].each do |to_s|
      found, = Holdup::Scaling::Reader.new(store, from_s: START_S, to_s: START_S + to_s,
        slo: Holdup::Advise::Sizing::Slo.parse("p95=200ms"), units: 500).call
      # A span that ends within a minute has all of it.
      assert_in_epsilon PER_SECOND, found.rate, 0.25, "until #{to_s}"
    end
  end

  private

  def each_rate(recorded, lives, finest_s, random)
    store = recorded.open(finest_s:)
    spans(lives, random).each do |from_s, to_s|
      where = "windows of #{finest_s} s, from #{from_s} to #{to_s}"
      served = report(store, from_s, to_s)
      next unless served
      assert_report(store, from_s, to_s, lives, where)
      assert_fleet(store, from_s, to_s, where)
      assert_plan(store, from_s, to_s, where)
    end
  end

  # From before the first to after the last, and two arbitrary ones.
  def spans(lives, random)
    last_s = lives.map(&:to_s).max.ceil
    cuts = Array.new(2) { Array.new(2) { random.rand(0..last_s) }.sort }
    [[-DAY_S, last_s + DAY_S], *cuts].reject { |from_s, to_s| to_s - from_s < 400 }
  end

  def report(store, from_s, to_s, **filter)
    summary = Holdup::Queries::LoadSummary.call(store, from_s: START_S + from_s, to_s: START_S + to_s,
      **filter)
    summary unless summary.empty? || summary.throughput.nil?
  end

  def assert_report(store, from_s, to_s, lives, where)
    summary = report(store, from_s, to_s)
    assert_in_epsilon summary.total.count, summary.throughput * summary.measured_s, 1e-6, where
    return unless lives.map(&:host).uniq.one?
    assert_in_epsilon PER_SECOND, summary.throughput, 0.12, where
  end

  # As `holdup report` and `holdup report --host` have it.
  def assert_fleet(store, from_s, to_s, where)
    fleet = Holdup::Fleet::Reader.call(store, from_s: START_S + from_s, to_s: START_S + to_s)
    group = fleet.groups.fetch(0)
    group.hosts.each do |line|
      next unless line.per_second
      assert_in_epsilon line.count, line.per_second * line.measured.total_s, 1e-6, where
      assert_in_epsilon PER_SECOND, line.per_second, 0.12, "#{line.name} #{where}"
      own = report(Holdup::Queries::Origin.of_host(line.name).of(store), from_s, to_s)
      assert_in_epsilon own.throughput, line.per_second, 0.05, "#{line.name} #{where}" if own
    end
    summary = report(store, from_s, to_s)
    assert_in_epsilon summary.throughput, group.total.per_second, 0.05, where
    group.revisions.each do |line|
      assert_in_epsilon line.count, line.per_second * line.measured.total_s, 1e-6, where if line.per_second
    end
  end

  def assert_plan(store, from_s, to_s, where)
    arms = Holdup::Experiment::Reader.new(store, from_s: START_S + from_s, to_s: START_S + to_s,
      filter: Holdup::Analysis::UnitFilter.new(kind: :request))
    outlook = arms.outlook
    return unless outlook&.rate && @hosts == 1
    assert_in_epsilon PER_SECOND, outlook.rate, 0.12, "plan #{where}"
  end

  # One process after the other on each host, with gaps in which none runs.
  def lives(random)
    @hosts = random.rand(1..2)
    Array.new(@hosts) { |index| of_host("web-#{index}", random) }.flatten
  end

  def of_host(host, random)
    at_s = random.rand(0..2000)
    Array.new(random.rand(1..3)) do |index|
      from_s = at_s + random.rand
      to_s = from_s + random.rand(120..1500)
      at_s = (to_s + 1300 + random.rand(0..3000)).to_i
      Life.new(from_s:, to_s:, host:, pid: 7 + index, revision: (index / 2).to_s)
    end
  end

  def overview(store, now_s)
    query = Holdup::Web::PageQuery.new({"since" => "24h"}, now_s:)
    page = Holdup::Report::OverviewPage.new(context: Object.new, store:, query:,
      words: Holdup::View::Words.new("en", page: true))
    blocks = Holdup::View::Blocks.flat(page.blocks)
    blocks.grep(Holdup::View::Section).map(&:title).join(", ")
  end
end
