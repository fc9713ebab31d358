# frozen_string_literal: true

require "test_helper"
require "holdup/capture/client"
require "holdup/loader"

class Holdup::Captures::CollectorPartTest < Minitest::Test
  include TemporaryFolder

  # Moved by hand.
  Clock = Struct.new(:realtime_s, :monotonic_ns)

  def setup
    @clock = Clock.new(1_800_000_000, 1_000_000_000_000)
    @log = CollectedLog.new
    @archive = Holdup::Capture::Archive.new(File.join(folder, "captures"))
    @archiver = Holdup::Captures::CollectorPart.new(archive: @archive, dir: folder,
      warnings: Holdup::Collector::RateLimitedLog.new(log: @log, clock: @clock), clock: @clock)
  end

  def test_keeps_what_was_caught_and_says_what_that_is
    leave("1-1.ended", caught: 2)
    @archiver.call
    facts = {"trigger" => "rule", "every_s" => 60, "unit" => "GET /light", "stalled_ns" => 70,
             "wall_ns" => 80, "holder" => "GET /hog", "holder_ns" => 69}
    assert_equal facts, @archive.kept.first.facts
    assert_equal [[], 1], [left, @archive.kept.size]
  end

  def test_one_in_the_time_that_the_rule_wants_between_two
    3.times { |pid| leave("#{pid}-1.ended", caught: 2) }
    @archiver.call
    assert_equal [[], 1], [left, @archive.kept.size]
    @clock.monotonic_ns += 60_000_000_000
    leave("4-1.ended", caught: 2)
    @archiver.call
    assert_equal 2, @archive.kept.size
  end

  def test_holds_the_bytes_no_longer_than_it_needs_them
    given = []
    @archive.define_singleton_method(:add) { |bytes, _time| given << bytes }
    leave("1-1.ended", caught: 2)
    @archiver.call
    assert_equal [0], given.map(&:bytesize)
  end

  def test_files_of_others_stay
    names = %w[diary.left x.armed 1-1.notes last.events]
    names.each { |name| File.write(File.join(folder, name), "mine") }
    @archiver.call
    Holdup::Capture::Client.sweep(folder, [])
    assert_equal names.sort, Dir.children(folder).sort - ["captures"]
    assert_empty @log.lines
  end

  def test_keeps_every_capture_that_a_user_asked_for
    2.times { |pid| leave("#{pid}-1.left", facts: {"trigger" => "dashboard"}) }
    @archiver.call
    assert_equal [[], 2], [left, @archive.kept.size]
  end

  def test_of_a_killed_process_only_what_it_had_caught
    living = SegmentWriter.new(folder).path.sub(".segment", ".armed")
    leave(File.basename(living))
    leave("999999998-1.armed")
    leave("999999999-1.armed", caught: 2, closed: false)
    @archiver.call
    assert_equal [[File.basename(living)], 1], [left, @archive.kept.size]
  end

  # Who asked on the command line waits for the file; the dashboard does not.
  def test_what_went_on_when_its_process_was_killed
    leave("999999998-1.events", closed: false, facts: {"trigger" => "asked"})
    leave("999999999-1.events", closed: false, facts: {"trigger" => "dashboard"})
    @archiver.call
    assert_equal [%w[999999998-1.events], 1], [left, @archive.kept.size]
  end

  def test_deletes_a_damaged_capture_and_logs_it_once
    2.times do
      File.binwrite(File.join(folder, "1-1.ended"), "nonsense")
      @archiver.call
    end
    assert_equal [[], 1], [left, @log.lines.size]
    assert_match(/a capture can't be kept: .*1-1.ended is not a capture/, @log.lines.first)
    assert_match(/1-1.ended is not a capture/, @archiver.problem)
    leave("2-1.ended", caught: 2)
    @archiver.call
    assert_nil @archiver.problem
  end

  # A file is where the folder should be.
  def test_the_latest_wait_while_the_folder_can_not_be_made
    File.write(@archive.dir, "in the way")
    6.times do |number|
      leave("#{number}-1.left", facts: {"trigger" => "dashboard"})
      File.utime(number, number, File.join(folder, "#{number}-1.left"))
      2.times { @archiver.call }
    end
    assert_equal %w[2-1.left 3-1.left 4-1.left 5-1.left], left.sort
    assert_match(/File exists/, @archiver.problem)
    assert_equal [1, 1], [/can't be kept now/, /are removed/].map { |line| @log.lines.grep(line).size }
    File.unlink(@archive.dir)
    @archiver.call
    assert_equal [[], 4, nil], [left, @archive.kept.size, @archiver.problem]
  end

  def test_a_rule_does_not_rest_for_a_capture_that_waits
    File.write(@archive.dir, "in the way")
    leave("1-1.ended", caught: 2)
    2.times { @archiver.call }
    File.unlink(@archive.dir)
    @archiver.call
    assert_equal [[], 1], [left, @archive.kept.size]
  end

  private

  def left
    Dir.children(folder).grep(/(armed|ended|events|left)\z/)
  end

  # GET /light (unit 2) waits for GET /hog (unit 1).
  def leave(name, caught: 0, closed: true, facts: {"trigger" => "rule", "every_s" => 60})
    ring = EventRing.new.running(2).idle(3)
    ring.begins(1, 2, 5).begins(2, 3, 10).ready(3, 11, unit: 2)
    ring.suspended(2, 80, unit: 1).ends(1, 2, 80, name: "GET /hog")
    ring.resumed(3, 81, unit: 2).ends(2, 3, 90, name: "GET /light")
    bytes = ring.bytes(to: 100, closed:)
    bytes.bytesplice(312, 40, [caught, 70, 80, 8, 1].pack("Q<5"))
    File.binwrite(File.join(folder, name), Holdup::Capture::Reason.add(bytes, facts))
  end
end
