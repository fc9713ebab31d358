# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/running_units"

class Holdup::Ps::OpenProcessTest < Minitest::Test
  include RunningUnits

  def test_the_innermost_of_the_thread_that_holds_the_gvl
    outer = open_unit("Outer", elapsed_s: 9, thread: 1)
    inner = open_unit("Inner", elapsed_s: 3, thread: 1)
    other = open_unit("Other", elapsed_s: 1, thread: 2)
    assert_same inner, open_process(outer, inner, other, gvl: held(1)).holding_unit
    assert_nil open_process(outer, gvl: held(7)).holding_unit
    assert_nil open_process(outer).holding_unit
  end

  def test_who_waits_for_the_gvl
    waits = open_unit("A#x", state: :gvl)
    process = open_process(waits, open_unit("B#x", state: :idle), open_unit("C#x"))
    assert_equal [waits], process.waiting
    refute_predicate process, :holder?
  end

  def test_what_a_segment_says_of_it
    Dir.mktmpdir do |folder|
      writer = SegmentWriter.new(folder, worker: 2, pid: 4711)
      writer.pools = [[5, 1, 0], [10, 0, 0]]
      writer.gauge(:allocated_objects, 350)
      header = Holdup::Segment::Directory.new(folder).entries.first.read(&:header)
      profile = {"server" => "puma", "pool.0" => "puma", "pool.1" => "jobs"}
      process = Holdup::Ps::OpenProcess.of(header, profile, units: [], stopped: true)
      assert_equal [4711, "worker 2", "puma", 350, true],
        [process.pid, process.name, process.server, process.objects, process.stopped]
      assert_equal({"puma" => 5, "jobs" => 10}, process.pools)
    end
  end
end
