# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Stores::CommandTest < Minitest::Test
  include CommandLine
  include SampleMinutes
  include TemporaryFolder

  NOW_S = SampleMinutes::MINUTE_START + 7200

  def test_migrate_makes_a_store
    said = holdup("store", "migrate", "--store", path)
    assert_equal [0, "The store #{path} has schema 8.\n", ""], said.to_h.values
    assert_path_exists path
  end

  def test_status_says_what_is_in_it
    fill
    said = status("en")
    assert_match(/\A#{Regexp.escape(path)}: schema 8, 1 name, 1 MB\.\n/, said)
    assert_match(/Measurements from \d{4}-\d\d-\d\d \d\d:\d\d to/, said)
    assert_match(%r{a /x: its collector wrote 2 h ago}, said)
    assert_match(/スキーマ 8、名前 1 件/, status("ja"))
    assert_match(/最後の書き込みは 2 時間前/, status("ja"))
  end

  # Its day begins at midnight; its first minute was at 12:38.
  def test_status_begins_with_the_first_measurement_however_long_the_windows_are
    store.commit([minute(758)], {})
    store.rollup(NOW_S + 3 * 86_400)
    assert_includes status("en"), Time.at(SampleMinutes::MINUTE_START + 758 * 60).strftime("%F %H:%M to")
  end

  def test_status_of_an_empty_store
    holdup("store", "migrate", "--store", path)
    assert_match(/It has no measurements yet/, status("en"))
  end

  def test_copy_counts_what_it_copied
    fill
    said = holdup("store", "copy", path, target, now_s: NOW_S)
    assert_equal "a: 1 counted in both.\nCopied 1 window; the counts agree.\n", said.out
    assert_match(/copied up to .*, 1 window/, said.err)
    assert_equal 0, said.status
    assert_equal 1, units(Holdup::Store.open(target))
  end

  def test_copy_fails_when_the_counts_differ
    fill
    holdup("store", "copy", path, target, now_s: NOW_S)
    store.commit([minute], {})
    said = holdup("store", "copy", path, target, now_s: NOW_S)
    assert_equal 1, said.status
    assert_match(/a: 2 in the source, 1 copied\.\n.*: after some minutes were copied, the source/, said.out)
    refute_match(/meanwhile|others/, said.out)
  end

  def test_copy_says_that_others_wrote_to_the_target
    fill
    holdup("store", "copy", path, target, now_s: NOW_S)
    Holdup::Store.open(target).tap { |store| store.commit([minute], {}) }.close
    said = holdup("store", "copy", path, target, now_s: NOW_S)
    assert_equal 1, said.status
    assert_match(/a: 1 in the source, 2 copied\.\n.*: since the copy began, others have changed/, said.out)
  end

  # First while the collector runs, for most of it, and then without it.
  def test_copy_is_run_again_after_the_collector_was_stopped
    now_s = SampleMinutes::MINUTE_START + 600
    write_at(now_s, 1, 9)
    said = holdup("store", "copy", path, target, now_s:)
    assert_equal 1, said.status
    assert_match(/\Aa: 1 counted in both\.\nCopied 1 window up to .*: a collector writes to/, said.out)
    write_at(now_s + 5, 9)
    said = holdup("store", "copy", path, target, now_s: now_s + 3600)
    assert_equal [0, "a: 3 counted in both.\nCopied 2 windows; the counts agree.\n"], [said.status, said.out]
  end

  def test_without_an_action_it_says_what_is_in_the_store
    with_store do |path|
      said = holdup("store", "--store", path)
      assert_equal 0, said.status
      assert_equal holdup("store", "status", "--store", path), said
    end
  end

  def test_wrong_use_is_explained
    {
      %w[drop] => /store has no action "drop"; it is one of/,
      %w[copy a] => /store copy takes 2 arguments, not 1; `holdup store --help`/,
      %w[status a] => /store status takes 0 arguments, not 1/
    }.each do |words, message|
      said = holdup("store", *words)
      assert_equal 2, said.status
      assert_match(message, said.err)
    end
  end

  def test_help_shows_the_privileges
    help = holdup("store", "--help").out
    assert_match(/GRANT SELECT ON holdup\.\* TO holdup_reader/, help)
    assert_match(/copy FROM TO/, help)
  end

  private

  def path = File.join(folder, "a.sqlite3")

  def target = File.join(folder, "b.sqlite3")

  def status(language)
    holdup("store", "status", "--store", path, "--lang", language, now_s: NOW_S).out
  end

  def store
    @store ||= Holdup::Store.open(path)
  end

  def teardown
    @store&.close
    super
  end

  # As a collector that runs then.
  def write_at(second, *minutes)
    collector_checkpoint = Holdup::CollectorCheckpoint.new(host: "a", folder: "/x",
      at_ns: second * 1_000_000_000, units: {})
    store.commit(minutes.map { |number| minute(number) }, {}, collector_checkpoint:)
  end

  def fill
    collector_checkpoint = Holdup::CollectorCheckpoint.new(host: "a", folder: "/x",
      at_ns: SampleMinutes::MINUTE_START * 1_000_000_000, units: {})
    store.commit([minute], {}, collector_checkpoint:)
  end
end
