# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::SettingDriftTest < Minitest::Test
  SHOP = {"A#fast" => {ms: {cpu: 4, stalled: 2, io: 6}, acquisitions: 6, units: 30, blame: 1}}.freeze
  SLOW = {"A#fast" => SHOP["A#fast"].merge(ms: {cpu: 6, stalled: 2, io: 6})}.freeze
  MINUTES = 30
  LATER_S = 3600
  FACTS = SampleWindows::SETTING.merge("revision" => "aaa")

  def test_reports_more_cpu_since_a_deployment_with_its_facts
    drift = drifts(SLOW, FACTS.merge("revision" => "bbb", "threads" => 3)).first
    assert_equal [:request, "puma", ["threads"], [:cpu_unit]],
      [drift.kind, drift.change.server, drift.differences.map(&:subject),
        drift.moved.map { |one| one.metric.name }]
    keys = Holdup::Doctor::StoreChecks::Drift.findings([drift]).map { |finding| [finding.level, finding.key] }
    assert_equal [[:ok, :setting_changed], [:warn, :drift_cpu_unit_worse]], keys
  end

  def test_reports_less_cpu_without_an_alarm
    findings = Holdup::Doctor::StoreChecks::Drift.findings(drifts(
      {"A#fast" => SHOP["A#fast"].merge(ms: {cpu: 2, stalled: 2, io: 6})}, FACTS.merge("revision" => "bbb")
    ))
    assert_equal [[:ok, :drift_cpu_unit_better]], findings.map { |finding| [finding.level, finding.key] }
    assert_match(/\A\d\d %\z/, findings.first.facts[:change])
  end

  BUSY = {"A#fast" => SHOP["A#fast"].merge(units: 100)}.freeze

  def test_reports_a_longer_tail_with_the_same_mean
    drift = drifts(BUSY, FACTS.merge("revision" => "bbb"),
      before: BUSY) { |window| (window.series.kind == :request) ? with_tail(window) : window }.first
    assert_equal [%i[stalled_p99 worse], %i[wall_p99 worse]],
      drift.moved.map { |one| [one.metric.name, one.verdict] }
    findings = Holdup::Doctor::StoreChecks::Drift.findings([drift])
    assert_equal [%i[warn drift_stalled_p99_worse], %i[warn drift_wall_p99_worse]],
      findings.map { |finding| [finding.level, finding.key] }
  end

  def test_an_equal_tail_is_not_reported_and_few_units_have_none
    assert_empty drifts(BUSY, FACTS.merge("revision" => "bbb"), before: BUSY)
    changed = drifts(SHOP, FACTS.merge("revision" => "bbb")) do |window|
      (window.series.kind == :request) ? with_tail(window) : window
    end
    assert_empty changed
  end

  # Three of a hundred wait ten times as long, and all of them together as long as before.
  def with_tail(window)
    histograms = %i[stalled wall].to_h do |name|
      old = window.histograms[name]
      tail = Holdup::Histogram.of([(old.mean * 10).round] * (window.count / 33 + 1))
      [name, Holdup::Histogram.sum([old, tail]).with(count: old.count, sum: old.sum)]
    end
    window.with(histograms: window.histograms.merge(histograms))
  end

  def test_finds_no_drift_after_a_deployment_without_effect
    assert_empty drifts(SHOP, FACTS.merge("revision" => "bbb"))
  end

  def test_finds_no_drift_without_a_change_of_setting
    assert_empty drifts(SLOW, FACTS)
  end

  def test_does_not_count_another_arm_as_a_change_of_setting
    assert_empty drifts(SLOW, FACTS.merge("arm" => "canary"))
    assert_equal [["threads"]],
      drifts(SLOW,
        FACTS.merge("arm" => "canary", "threads" => 3)).map { |drift| drift.differences.map(&:subject) }
  end

  def test_settings_of_one_deployment_belong_together_and_the_one_before_it_counts
    samples = [[0, "old"], [1000, "a"], [1100, "b"], [5000, "c"], [5001, "d"]].map { |at_s, setting|
      {at_s:, setting:, server: "puma"}
    }
    revisions = {"old" => "1", "a" => "2", "b" => "2", "c" => "3", "d" => "3"}
    settings = revisions.transform_values do |revision|
      Holdup::Setting.new(attributes: {"revision" => revision})
    end
    change = Holdup::Analysis::SettingChanges::LatestChange.all(samples, settings:).first
    assert_equal [%w[a b], %w[c d], 5000], [change.before, change.after, change.at_s]
  end

  # Beside an application that stays as it is.
  def test_applications_change_each_for_itself
    applications = {"old" => "shop", "new" => "shop", "other" => "admin"}
    settings = applications.transform_values { |app| Holdup::Setting.new(attributes: {"app" => app}) }
    samples = [[0, "old"], [0, "other"], [5000, "new"], [5000, "other"]].map { |at_s, setting|
      {at_s:, setting:, server: "puma"}
    }
    changes = Holdup::Analysis::SettingChanges::LatestChange.all(samples, settings:)
    assert_equal ["shop puma"], changes.map(&:server)
    assert_equal %w[old], changes.first.before
    assert_equal %w[new], changes.first.after
  end

  private

  # @yieldparam window [Holdup::Window] after the change
  # @yieldreturn [Holdup::Window]
  def drifts(units, facts, before: SHOP, &change)
    before = SampleWindows.new(units: before, minutes: MINUTES, setting: FACTS)
    after = SampleWindows.new(units:, minutes: MINUTES, seed: 2, setting: facts)
    store = Holdup::Store.open("memory:")
    later = after.to_a.map { |window| window.with(start_s: window.start_s + LATER_S) }
    store.commit(before.to_a + (change ? later.map(&change) : later), {},
      processes: samples(before, 0) + samples(after, LATER_S))
    Holdup::Compare::DriftReader.call(store, after.to_s + LATER_S)
  end

  # Both are past their first minutes.
  def samples(sample, offset_s)
    SampleProcesses.new(sample, servers: {"puma" => 2}).to_a.map do |one|
      one[:since_s] ? one.merge(at_s: one[:at_s] + offset_s, since_s: one[:since_s] - 600,
        start: offset_s) : one.merge(at_s: one[:at_s] + offset_s)
    end
  end
end
