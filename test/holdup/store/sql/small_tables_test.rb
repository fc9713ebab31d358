# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/collector_checkpoint"

# Each table alone; what a store does with them is in the contract of stores.
class Holdup::Store::Sql::SmallTablesTest < Minitest::Test
  Sql = Holdup::Store::Sql
  Tables = Sql::SmallTables
  NOW_S = 1_790_000_000

  def connection = @connection ||= Sql::Connection.new(Sql::Sqlite::MemoryDatabase.new)

  def table(kind, *more) = kind.new(connection, *more)

  def change(&) = connection.write(&)

  def test_checkpoints_are_found_by_their_segment_or_its_beginning
    checkpoints = table(Tables::Checkpoints)
    checkpoints.save({"a/1" => "\x00one", "a/2" => "x" * 5000, "b_1" => "three", "bx1" => "four"})
    assert_equal({"a/1" => "\x00one".b, "a/2" => "x" * 5000}, checkpoints.to_h("a/"))
    assert_equal %w[b_1], checkpoints.to_h("b_").keys, "the line is no pattern"
    assert_equal "three", checkpoints["b_1"]
    assert_nil checkpoints["c"]
  end

  def test_a_checkpoint_is_replaced_or_deleted
    checkpoints = table(Tables::Checkpoints)
    checkpoints.save({"a" => "one", "b" => "two"})
    checkpoints.save({"a" => "three", "b" => nil})
    assert_equal({"a" => "three"}, checkpoints.to_h)
  end

  def collector_checkpoint(host: "web-1", at_ns: NOW_S * 1_000_000_000, units: {"request" => 3})
    Holdup::CollectorCheckpoint.new(host:, folder: "/f", at_ns:, units:)
  end

  def test_a_collector_has_one_checkpoint_and_the_latest_comes_first
    checkpoints = table(Tables::CollectorCheckpoints)
    later = collector_checkpoint(at_ns: NOW_S * 1_000_000_000 + 1, units: {"job" => 1})
    [collector_checkpoint, collector_checkpoint(host: "web-2"), later].each { |one| checkpoints.save(one) }
    assert_equal %w[web-1 web-2], checkpoints.to_a.map(&:host)
    assert_equal({"job" => 1}, checkpoints.to_a.first.units)
  end

  def test_damaged_and_old_checkpoints_of_collectors_are_left_out
    checkpoints = table(Tables::CollectorCheckpoints)
    keep_s = Holdup::CollectorCheckpoint::KEEP_S
    old = collector_checkpoint(host: "old", at_ns: (NOW_S - keep_s - 1) * 1_000_000_000)
    [old, collector_checkpoint, collector_checkpoint(host: "broken")].each { |one| checkpoints.save(one) }
    change { |db| db[:collector_checkpoints].where(host: "broken").update(units: "{") }
    assert_equal %w[web-1 old], checkpoints.to_a.map(&:host)
    checkpoints.prune(NOW_S)
    assert_equal %w[web-1], checkpoints.to_a.map(&:host)
  end

  def skipped(name, at_s: NOW_S, count: 1, reason: "refused")
    Holdup::SkippedRow.new(at_s:, host: "web-1", kind: :window, name:, reason:, count:)
  end

  def test_skipped_rows_of_one_name_are_added_up_with_the_latest_reason
    rows = table(Tables::SkippedRows)
    rows.add([skipped("A"), skipped("B", at_s: NOW_S + 1)])
    rows.add([skipped("A", at_s: NOW_S + 2, count: 4, reason: "too large")])
    assert_equal [["A", 5, "too large", :window], ["B", 1, "refused", :window]],
      rows.to_a.map { |row| [row.name, row.count, row.reason, row.kind.to_sym] }
  end

  def test_skipped_rows_are_pruned_by_age_and_number
    rows = table(Tables::SkippedRows)
    most = Holdup::SkippedRow::MOST
    rows.add([skipped("old", at_s: NOW_S - Holdup::SkippedRow::KEEP_S - 1)])
    rows.add(Array.new(most + 3) { |index| skipped("N#{index}", at_s: NOW_S + index) })
    rows.prune(NOW_S)
    names = rows.to_a.map(&:name)
    assert_equal most, names.size
    assert_equal "N#{most + 2}", names.first
    refute_includes names, "N2"
  end

  def entry(source, at_s: NOW_S, event: :turn)
    Holdup::AuditEntry.new(source:, at_s:, host: "web-1", event:, plan_id: "p", lever: "threads", from: 5,
      to: 3, who: "autopilot")
  end

  def test_an_entry_of_the_audit_log_is_kept_once
    entries = table(Tables::AuditEntries)
    entries.add([entry("a/1"), entry("a/1"), entry("a/2", at_s: NOW_S + 5)])
    entries.add([entry("a/1", at_s: NOW_S + 9)])
    assert_equal [["a/1", NOW_S], ["a/2", NOW_S + 5]],
      entries.between(NOW_S, NOW_S + 10, nil).map { |one| [one.source, one.at_s] }
    assert_equal %w[a/2], entries.between(NOW_S + 1, NOW_S + 10, nil).map(&:source)
  end

  def test_entries_of_some_events_without_those_that_are_damaged
    entries = table(Tables::AuditEntries)
    entries.add([entry("1"), entry("2", event: :ends), entry("3")])
    assert_equal %w[2], entries.between(0, NOW_S + 1, %i[ends]).map(&:source)
    change { |db| db[:audit_entries].where(source: "1").update(facts: "{") }
    assert_equal %w[2 3], entries.between(0, NOW_S + 1, nil).map(&:source)
    entries.delete_before(NOW_S + 1)
    assert_empty entries.between(0, NOW_S + 1, nil)
  end

  def test_the_last_path_of_a_series
    codec = Sql::WindowCodec.new(connection)
    paths = table(Tables::Paths, codec.series)
    orders, reports = %w[O R].map { |name| Holdup::Series.new(kind: :request, name:) }
    paths.save({orders => "/orders/1", reports => "/reports"})
    paths.save({orders => "/orders/2"})
    assert_equal({orders => "/orders/2", reports => "/reports"}, paths.to_h)
  end

  def samples = @samples ||= table(Tables::ProcessSamples, Sql::WindowCodec.new(connection).hosts)

  def sample(at_s, pid: 7, **facts) = {at_s:, host: "web-1", pid:, **facts}

  def test_samples_have_all_their_facts_and_one_of_a_moment
    samples.add([sample(NOW_S, cpu_ns: 1), sample(NOW_S, cpu_ns: 2, "jit.kind": "yjit"), sample(NOW_S + 60)])
    assert_equal [sample(NOW_S, cpu_ns: 2, "jit.kind": "yjit")], samples.between(NOW_S, NOW_S + 60)
    change { |db| db[:process_samples].where(at_s: NOW_S).update(facts: "{") }
    assert_equal [NOW_S + 60], samples.between(0, NOW_S + 61).map { |one| one[:at_s] }
  end

  def test_of_samples_far_apart_each_process_has_the_last
    start_s = NOW_S / 600 * 600
    samples.add([0, 60, 540, 600].flat_map { |at_s| [7, 8].map { |pid| sample(start_s + at_s, pid:) } })
    found = samples.between(start_s, start_s + 1200, every_s: 600)
    assert_equal [540, 540, 600, 600], found.map { |one| one[:at_s] - start_s }
    samples.delete_before(start_s + 600)
    assert_equal 2, samples.between(0, start_s + 1200).size
  end

  def outcome(at_s, threads: 3, measured_ns: 5)
    figure = Holdup::PredictionOutcome::Quantity.new(recorded_ns: 1, replayed_ns: 2, predicted_ns: 3,
      measured_ns:)
    Holdup::PredictionOutcome.new(at_s:, app: "shop", kind: :job, pool: "", setting: "f", from_s: 1, to_s: 2,
      processes: 1, threads:, time_slice_ns: 9, units: 100, figures: {response: figure, p95: figure})
  end

  def test_an_outcome_of_a_prediction_replaces_that_of_the_same_setting
    outcomes = table(Tables::PredictionOutcomes)
    [outcome(NOW_S), outcome(NOW_S + 1, threads: 5), outcome(NOW_S + 2, measured_ns: 8)].each do |one|
      outcomes.keep(one)
    end
    assert_equal [outcome(NOW_S + 1, threads: 5), outcome(NOW_S + 2, measured_ns: 8)], outcomes.to_a
    outcomes.delete_before(NOW_S + 2)
    assert_equal [NOW_S + 2], outcomes.to_a.map(&:at_s)
  end

  def answer(text, at_s: NOW_S)
    others = Holdup::Store::KeptAnswer.members.to_h { |name| [name, 0] }
    Holdup::Store::KeptAnswer.new(**others, question: "q", at_s:, text:)
  end

  def test_a_question_has_one_answer
    answers = table(Tables::KeptAnswers)
    answers.keep(answer("first"))
    answers.keep(answer("日本語", at_s: NOW_S + 1))
    assert_equal "日本語", answers.find("q").text
    assert_nil answers.find("other")
    answers.delete_before(NOW_S + 2)
    assert_nil answers.find("q")
  end
end
