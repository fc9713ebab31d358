# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::RemarksTest < Minitest::Test
  Remarks = Holdup::View::Remarks
  Machine = Data.define(:host, :ceiling)
  Look = Data.define(:units, :collecting, :at_ns)
  NOW_S = 1_790_000_000
  NS = 1_000_000_000

  def words(language = "en") = Holdup::View::Words.new(language)

  def ceiling(**options) = Holdup::Analysis::CpuCeiling.new(**options)

  def limited(vcpus, processes, host: "web-1")
    Machine.new(host:, ceiling: ceiling(vcpus:, processes:))
  end

  def ceiling_remark(*machines) = Remarks::Ceiling.remark(machines, words: words)

  def test_the_ceiling_counts_in_the_singular_and_the_plural
    one = Remarks::Ceiling.new(ceiling(vcpus: 1, processes: 1), words: words)
    many = Remarks::Ceiling.new(ceiling(vcpus: 4, processes: 2), words: words)
    part = Remarks::Ceiling.new(ceiling(vcpus: 2.5, processes: 1), words: words)

    assert_equal ["1 vCPU", "1 process"], [one.vcpus, one.processes]
    assert_equal ["4 vCPUs", "2 processes"], [many.vcpus, many.processes]
    assert_equal "2.5 vCPUs", part.vcpus
  end

  def test_a_range_of_one_share_is_that_share
    assert_equal "50-55 %", Remarks::Ceiling.new(ceiling(vcpus: 2, processes: 1), words: words).range
    assert_equal "100 %", Remarks::Ceiling.new(ceiling(vcpus: 1, processes: 1), words: words).range
  end

  def test_only_a_low_ceiling_is_worth_a_remark
    assert_match(/\A2 vCPUs, 1 process: .*50-55 %/, ceiling_remark(limited(2, 1)))
    assert_nil ceiling_remark(limited(2, 2))
    assert_nil ceiling_remark(Machine.new(host: "web-1", ceiling: nil))
    assert_nil ceiling_remark
  end

  def test_the_lowest_of_several_hosts_with_its_name
    found = ceiling_remark(limited(2, 1), limited(8, 1, host: "web-\e[31m2"), limited(1, 1, host: "web-3"))

    assert_includes found, "web-?[31m2"
    assert_includes found, "8 vCPUs, 1 process"
    refute_includes ceiling_remark(limited(2, 1)), "web-1"
  end

  def test_one_application_is_no_remark
    shares = ->(**found) { Holdup::Analysis::ApplicationShares.new(shares: found.transform_keys(&:to_s)) }

    assert_nil Remarks::Applications.remark(shares[shop: 1.0], words: words)
    assert_nil Remarks::Applications.remark(shares[], words: words)
    assert_match(/2 applications \(shop 80 %, \?admin 20 %\)/,
      Remarks::Applications.remark(shares[shop: 0.8, "\eadmin": 0.2], words: words))
  end

  def uncollected(language: "en", **look)
    look = {units: 3, collecting: true, at_ns: (NOW_S - 7) * NS, **look}
    Remarks::Uncollected.remark(Look.new(**look), now_s: NOW_S, words: words(language))
  end

  def test_nothing_waits_for_the_collector
    assert_nil uncollected(units: 0)
    assert_nil Remarks::Uncollected.remark(nil, now_s: NOW_S, words: words)
  end

  def test_how_long_ago_the_collector_came
    assert_match(/\A3 requests and jobs that have ended are not .* read them 7\.00 s ago/, uncollected)
    assert_match(/\A1 request or job that has ended is not/, uncollected(units: 1))
    assert_match(/\A12,345 /, uncollected(units: 12_345))
  end

  # The present second began before the collector came. Another host's clock may be ahead by more.
  def test_a_collector_that_came_just_now_came_a_second_ago
    [NOW_S * NS + 900_000_000, NOW_S * NS, (NOW_S + 5) * NS, NOW_S * NS - 400_000_000].each do |at_ns|
      assert_match(/read them 1\.00 s ago/, uncollected(at_ns:), at_ns)
    end
    assert_match(/read them 1\.40 s ago/, uncollected(at_ns: (NOW_S - 1) * NS - 400_000_000))
  end

  def test_without_a_collector_and_before_its_first_round
    none = uncollected(collecting: false)
    first = uncollected(at_ns: nil)

    assert_match(/no collector is running/, none)
    assert_match(/they wait for the first/, first)
    assert_match(/it waits for the first/, uncollected(at_ns: nil, units: 1))
    assert_equal none, uncollected(collecting: false, at_ns: nil), "a collector that is gone has no round"
  end

  def test_each_remark_in_japanese
    [uncollected(language: "ja"), uncollected(language: "ja", collecting: false),
      uncollected(language: "ja", at_ns: nil),
      Remarks::Ceiling.remark([limited(2, 1)], words: words("ja"))].each do |text|
      assert_match(/\p{Hiragana}/, text)
    end
  end
end
