# frozen_string_literal: true

require "test_helper"
require "etc"
require "holdup/loader"

class Holdup::Queries::UncollectedUnitsTest < Minitest::Test
  include TemporaryFolder

  def setup
    super
    @store = Holdup::Store.open("memory:")
    @dir = File.join(folder, "segments")
    FileUtils.mkdir_p(@dir)
  end

  def test_nothing_is_measured_here
    assert_nil look
    assert_nil Holdup::Queries::UncollectedUnits.new(dir: "/nonexistent").look(@store)
  end

  def test_before_the_first_round_all_units_wait
    3.times { writer.record("A", wall: 5) }
    assert_equal [3, nil, false], look.deconstruct
  end

  def test_what_ended_since_the_last_round
    3.times { writer.record("A", wall: 5) }
    collect
    assert_equal 0, look.units
    2.times { writer.record("A", wall: 5) }
    other = SegmentWriter.new(@dir, suffix: "-2")
    other.record("B", wall: 5)
    assert_equal 3, look.units
    assert_in_delta Time.now.to_f, look.at_ns / 1e9, 60
    collect
    assert_equal 0, look.units
  end

  def test_only_of_one_application
    writer.setting = %({"app":"店舗"})
    other = SegmentWriter.new(@dir, suffix: "-2")
    [writer, other].each { |one| one.record("A", wall: 5) }
    units = ["店舗", "-", nil].to_h { |app| [app, look(origin: Holdup::Queries::Origin.new(app:)).units] }
    assert_equal({"店舗" => 1, "-" => 1, nil => 2}, units)
  end

  # A report about other hosts is not behind because of what is measured here.
  def test_another_host_has_nothing_here
    writer.record("A", wall: 5)
    assert_equal 1, look(origin: Holdup::Queries::Origin.new(host: Etc.uname[:nodename])).units
    collect
    writer.record("A", wall: 5)
    origins = ["h", "web-*"].map { |host| Holdup::Queries::Origin.new(host:) }
    assert_equal [1, nil], origins.map { |origin| look(origin:)&.units }
  end

  def test_a_store_of_something_else_is_not_behind
    writer.record("A", wall: 5)
    assert_nil look(named: true)
    collect
    writer.record("A", wall: 5)
    assert_equal 1, look(named: true).units
    @dir = File.join(folder, "another")
    FileUtils.mkdir_p(@dir)
    SegmentWriter.new(@dir).record("A", wall: 5)
    assert_nil look(named: true)
  end

  # As in a container that mounts it elsewhere.
  def test_the_folder_by_another_path
    writer.record("A", wall: 5)
    collect
    writer.record("A", wall: 5)
    File.symlink(@dir, File.join(folder, "mounted"))
    @dir = File.join(folder, "mounted")
    assert_equal 1, look(named: true).units
  end

  def test_whether_a_collector_runs
    election = Holdup::Collector::Election.new(File.join(@dir, "collector.lock"))
    writer.record("A", wall: 5)
    assert election.won?
    assert look.collecting
  ensure
    election&.release
  end

  def test_ignores_a_file_that_is_not_a_segment
    File.write(File.join(@dir, "1-2.segment"), "x" * 9000)
    writer.record("A", wall: 5)
    assert_equal 1, look.units
  end

  private

  def writer = @writer ||= SegmentWriter.new(@dir)

  def collect
    Holdup::Collector.new(store: @store, directory: @dir, log: CollectedLog.new, host: "h").once
  end

  def look(named: false, **options)
    Holdup::Queries::UncollectedUnits.new(dir: @dir, **options).look(@store, named:)
  end
end
