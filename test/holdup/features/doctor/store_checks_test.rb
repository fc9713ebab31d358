# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/collector_checkpoint"

class Holdup::Doctor::StoreChecksTest < Minitest::Test
  include DoctorHost

  def test_what_the_collector_says_does_not_work
    found = troubles(troubles: {store: "the disk is full", spool: "x", capture: "y", unknown: "z"})
    assert_equal({collector_failing: :fail, spool_waiting: :warn, capture_lost: :warn}, found)
    problem = Holdup::Error.new("no store", "make one")
    refute_includes troubles(troubles: {store: "no store"}, store: nil, store_problem: problem),
      :collector_failing
  end

  def test_names_several_applications
    apps = %w[shop shop admin].map { |app| [Holdup::Setting.new(attributes: {"app" => app}), 1] }
    applications = Holdup::Analysis::ApplicationShares.of(apps)
    found = findings(applications:).find { |finding| finding.key == :applications }
    assert_equal [:ok, "shop 67 %, admin 33 %"], [found.level, found.facts[:apps]]
    assert_equal %i[store books],
      findings(applications: Holdup::Analysis::ApplicationShares.of(apps.first(2))).map(&:key)[6, 2]
  end

  def test_rows_that_were_left_out_are_named
    rows = [[:window, "日本語"], [:series, "A#b"], [:stored, "B"], [:checkpoint, "1-2.segment"],
      *Array.new(5) { |index| [:path, "P#{index}"] }].map do |kind, name|
      Holdup::SkippedRow.new(at_s: NOW_S, host: "h", kind:, name:, reason: "refused", count: 2)
    end
    found = Holdup::Doctor::StoreChecks::SkippedRows.call(host(skipped: rows))
    assert_equal({skipped_rows: 14, skipped_stored: 2, skipped_checkpoint: 2},
      found.to_h { |finding| [finding.key, finding.facts[:count]] })
    assert_equal "window 日本語 (2), series A#b (2), path P0 (2), path P1 (2), path P2 (2), +2",
      found.first.facts[:names]
    assert_equal [:warn], found.map(&:level).uniq
  end

  def test_a_collector_that_has_not_had_the_time_to_start
    young = process(born_ns: (NOW_S - 3) * 1_000_000_000)
    assert_equal({collector_starting: :warn}, troubles(segments: [young], collector: false))
    assert_equal({collector_none: :fail}, troubles(segments: [young, process], collector: false))
  end

  def test_the_collector
    assert_equal({collector_none: :fail}, troubles(collector: false))
  end

  def test_the_store
    assert_equal({store_problem: :fail},
      troubles(store: nil, store_problem: Holdup::Error.new("it is damaged")))
    locked = Holdup::StoreError::Locked.new(location: "s", seconds: 1)
    assert_equal({store_locked: :fail}, troubles(store: nil, store_problem: locked))
    assert_equal({store_empty: :warn}, troubles(store: SOUND[:store].merge(newest_s: nil)))
    assert_equal({store_old: :warn}, troubles(store: SOUND[:store].merge(newest_s: NOW_S - 3600)))
  end
end
