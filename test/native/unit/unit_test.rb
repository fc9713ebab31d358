# frozen_string_literal: true

require "native/native_helper"

# How units open and close: nested, on fibers, across threads, death and disable.
class UnitTest < NativeTest
  def test_a_nested_unit_counts_in_both
    inner = inner_ns = outer_ns = nil
    outer = measured do
      outer_ns = burnt_ns do
        GvlWork.hold(15 * MS)
        inner = measured { inner_ns = burnt_ns { GvlWork.hold(30 * MS) } }
      end
    end
    assert_worked inner_ns, :cpu_ns, inner
    assert_worked outer_ns, :cpu_ns, outer
  end

  def test_the_longest_hold_of_a_nested_unit_is_the_outers_too
    outer = measured do
      measured { GvlWork.hold(20 * MS) }
      GvlWork.release(1)
      GvlWork.hold(MS)
    end
    assert_operator outer.longest_hold_ns, :>=, 18 * MS
  end

  def test_units_on_fibers_end_in_any_order
    GC.start # so that none comes into one of them
    first, second = Array.new(2) {
      Fiber.new { measured { GvlWork.hold(5 * MS) && Fiber.yield || Fiber.yield } }
    }
    first.resume
    second.resume
    early = first.resume
    late = second.resume
    [early, late].each { |measurement| assert_adds_up measurement }
    # The second's work is in the first, which was open meanwhile.
    assert_operator early.cpu_ns, :>, late.cpu_ns
  end

  def test_an_unfinished_unit_of_a_dead_thread_is_abandoned
    before = Probe.snapshot
    handle = Thread.new { Probe.enter }.value
    wait_until { Probe.snapshot[:abandoned] == before[:abandoned] + 1 }
    assert_nil Probe.finish(handle)
    assert_equal before[:units_in_flight], Probe.snapshot[:units_in_flight]
  end

  def test_a_killed_thread_ends_its_unit_in_ensure
    result = nil
    started = Queue.new
    thread = Thread.new do
      handle = Probe.enter
      started << true
      sleep
    ensure
      result = Probe.finish(handle)
    end
    started.pop
    thread.kill.join
    assert_adds_up Holdup::Measurement.new(*result)
  end

  def test_an_exception_passes_through
    handle = nil
    error = assert_raises(ArgumentError) do
      handle = Probe.enter
      raise ArgumentError, "the application's"
    end
    assert_equal "the application's", error.message
    refute_nil Probe.finish(handle)
  end

  def test_knows_its_own_thread
    handle = Probe.enter
    assert Probe.own?(handle)
    refute Thread.new { Probe.own?(handle) }.value
    Probe.finish(handle)
    refute Probe.own?(handle)
  end

  def test_a_unit_that_another_thread_ends_is_discarded
    before = Probe.snapshot[:discarded]
    handle = Probe.enter
    assert_nil Thread.new { Probe.finish(handle) }.value
    assert_equal before + 1, Probe.snapshot[:discarded]
    assert_nil Probe.finish(handle)
  end

  def test_a_unit_that_spans_disable_is_discarded
    before = Probe.snapshot[:discarded]
    handle = Probe.enter
    Probe.disable
    assert_equal 0, Probe.enter
    assert_nil Probe.finish(handle)
    Probe.enable
    assert_equal before + 1, Probe.snapshot[:discarded]
    assert_adds_up measured { GvlWork.hold(MS) }
  end

  def test_strange_handles_are_unknown
    [0, -1, 1 << 40, 2**70, nil, "x"].each { |handle| assert_nil Probe.finish(handle) }
    handle = Probe.enter
    refute_nil Probe.finish(handle)
    assert_nil Probe.finish(handle)
  end

  def test_ten_thousand_open_units
    handles = Array.new(10_000) { Probe.enter }
    assert_equal 10_000, handles.uniq.size
    results = handles.reverse.map { |handle| Probe.finish(handle) }
    assert results.all?
  end

  def test_entering_and_leaving_allocates_nothing
    Probe.cancel(Probe.enter)
    before = GC.stat(:total_allocated_objects)
    2000.times { Probe.cancel(Probe.enter) }
    assert_operator GC.stat(:total_allocated_objects) - before, :<=, 10
  end
end
