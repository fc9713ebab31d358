# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Fleet::FleetReportTest < Minitest::Test
  HostOutliers = Holdup::Fleet::FleetReport::HostOutliers
  FleetLine = Holdup::Fleet::FleetReport::FleetLine
  MS = 1_000_000
  # A host of which only the elapsed time is known.
  Alike = Data.define(:name, :wall_p95_ns) do
    def count = 1000

    %i[starved_share stalled_share error_share queued_p95_ns load].each { |figure| define_method(figure) {} }
  end

  def test_names_the_host_that_starves
    outlier = outliers(starved: {"web-7" => 0.14}).first
    assert_equal ["web-7", :starved_share], [outlier.host, outlier.figure]
    assert_in_delta 0.14, outlier.value, 0.001
    assert_in_delta 0.01, outlier.others, 0.005
  end

  def test_names_each_host_once_by_its_cause
    found = outliers(starved: {"web-7" => 0.14}, wall_ms: {"web-7" => 900})
    assert_equal [["web-7", :starved_share]], found.map { |one| [one.host, one.figure] }
  end

  def test_names_a_slow_host
    found = outliers(wall_ms: {"web-2" => 400})
    assert_equal [["web-2", :wall_p95_ns]], found.map { |one| [one.host, one.figure] }
  end

  # Less than five points: users don't feel it, however alike the others are.
  def test_a_difference_that_does_not_matter_is_not_named
    assert_empty outliers(starved: {"web-7" => 0.04}, wall_ms: {"web-3" => 110})
  end

  def test_a_host_that_is_better_is_not_named
    assert_empty outliers(wall_ms: {"web-3" => 5})
  end

  # Half of them differ: then neither half is the exception.
  def test_two_kinds_of_hosts_are_no_outliers
    assert_empty outliers(starved: (1..10).to_h { |number| ["web-#{number}", 0.2] })
  end

  def test_among_few_hosts_none_is_called_an_outlier
    found = HostOutliers.new(lines(4, starved: {"web-1" => 0.5}))
    assert_empty found.to_a
    refute_predicate found, :enough?
    assert_equal 4, found.compared
  end

  def test_hosts_with_few_requests_are_not_compared
    found = HostOutliers.new(lines(6, starved: {"web-1" => 0.5}, count: {"web-1" => 99}))
    assert_equal [5, []], [found.compared, found.to_a]
  end

  # What docs/guide/fleet.md says of hosts that differ by chance alone.
  one_ruby def test_hardly_names_one_of_alike_hosts
    random = Random.new(4)
    named = [5, 9, 20, 200].to_h do |hosts|
      trials = 40_000 / hosts
      found = Array.new(trials) { HostOutliers.new(chance(hosts, random)).to_a.any? }
      [hosts, found.count(true).fdiv(trials)]
    end
    named.each { |hosts, share| assert_operator share, :<, 0.03, "#{hosts} hosts" }
  end

  private

  # Elapsed times of hosts, log-normal with a deviation of 30 %.
  def chance(hosts, random)
    Array.new(hosts) do |index|
      normal = Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand)
      Alike.new(name: "web-#{index + 1}", wall_p95_ns: 300 * MS * Math.exp(0.3 * normal))
    end
  end

  def outliers(**differing) = HostOutliers.new(lines(20, **differing)).to_a

  # @return [Array<FleetLine>] the shares of the others vary by a fifth
  def lines(hosts, starved: {}, wall_ms: {}, count: {})
    random = Random.new(2)
    Array.new(hosts) do |index|
      name = "web-#{index + 1}"
      share = starved.fetch(name) { 0.01 * (0.8 + 0.4 * random.rand) }
      line(name, count: count.fetch(name, 500), starved: share,
        wall_ms: wall_ms.fetch(name) { 80 + 10 * random.rand })
    end
  end

  def line(name, count:, starved:, wall_ms:)
    wall = Holdup::Histogram.of(Array.new(count, (wall_ms * MS).round))
    empty = Holdup::Window.empty(series: Holdup::Series.new(kind: :request, name: "(all)"), host: name,
      start_s: 0, seconds: 600)
    window = empty.with(count:, sums: empty.sums.merge(starved_ns: (wall.sum * starved).round),
      histograms: empty.histograms.merge(wall:))
    FleetLine.new(name:, window:, settings: [], hosts: 1, processes: 2, threads: nil, thread_s: nil,
      measured: Holdup::Analysis::MeasuredTime.whole(0, 600))
  end
end
