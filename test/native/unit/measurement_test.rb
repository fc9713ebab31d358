# frozen_string_literal: true

require "native/native_helper"
require "zlib"

# Each state of a unit, from work that is known to be in that state.
class UnitStatesTest < NativeTest
  def test_holding_the_gvl_is_cpu
    work_ns = nil
    measurement = measured { work_ns = burnt_ns { GvlWork.hold(40 * MS) } }
    assert_worked work_ns, :cpu_ns, measurement
    assert_equal 0, measurement.native_ns
    assert_adds_up measurement
  end

  def test_blocking_with_the_gvl_held_is_starved
    measurement = measured { GvlWork.block(40 * MS) }
    assert_operator measurement.starved_ns, :>=, 39 * MS
    assert_operator measurement.cpu_ns, :<, 4 * MS
    assert_adds_up measurement
  end

  def test_cpu_without_the_gvl_is_native
    work_ns = nil
    measurement = measured_outside { work_ns = burnt_ns { GvlWork.burn(40 * MS) } }
    assert_worked work_ns, :native_ns, measurement
    assert_operator measurement.cpu_ns, :<, 4 * MS
    assert_adds_up measurement
  end

  def test_many_short_native_regions_are_native
    work_ns = nil
    measurement = measured_outside(5 * MS) { work_ns = burnt_ns { 200.times { GvlWork.burn(MS / 5) } } }
    assert_worked work_ns, :native_ns, measurement, within: 0.3
    assert_adds_up measurement
  end

  def test_waiting_without_the_gvl_is_io
    measurement = measured { GvlWork.wait(40 * MS) }
    assert_operator measurement.io_ns, :>=, 39 * MS
    assert_mostly :io_ns, measurement
    assert_adds_up measurement
  end

  def test_io_and_native_are_separate_within_one_unit
    work_ns = nil
    measurement = measured_outside {
      work_ns = burnt_ns { 3.times { [GvlWork.burn(10 * MS), GvlWork.wait(10 * MS)] } }
    }
    assert_worked work_ns, :native_ns, measurement, within: 0.1
    assert_operator measurement.io_ns, :>=, 29 * MS
    assert_adds_up measurement
  end

  def test_a_pipe_read_is_io
    reader, writer = IO.pipe
    feeder = Thread.new { sleep(0.04) && writer.write("x") }
    measurement = measured { reader.read(1) }
    feeder.join
    assert_mostly :io_ns, measurement
  end

  def test_zlib_is_native
    data = Random.new(1).bytes(4_000_000)
    before = nil
    measurement = measured_outside(25 * MS) { (before = cpu) && Zlib.deflate(data) }
    burnt_ns = (cpu - before) * 1_000_000_000
    assert_in_delta 1.0, (measurement.cpu_ns + measurement.native_ns) / burnt_ns, 0.1
    assert_operator measurement.native_ns, :>=, burnt_ns * 0.7
  end

  def test_a_mutex_held_by_another_thread_is_lock
    mutex = Mutex.new.lock
    measurement = measured_until(-> { mutex.unlock }) { mutex.synchronize { nil } }
    assert_mostly :lock_ns, measurement
    assert_adds_up measurement
  end

  def test_queue_pop_and_join_are_lock
    queue = Queue.new
    assert_mostly(:lock_ns, measured_until(-> { queue << 1 }) { queue.pop })
    other = Thread.new { queue.pop }
    assert_mostly(:lock_ns, measured_until(-> { queue << 1 }) { other.join })
  end

  def test_sleep_and_timed_waits_are_sleep
    assert_mostly :sleep_ns, measured { sleep(0.03) }
    assert_mostly :sleep_ns, measured { Queue.new.pop(timeout: 0.03) }
  end

  def test_waiting_for_the_gvl_is_stalled_and_was_caused
    holder = waiter = nil
    all_ns = stalled_ns { holder, waiter = beside_a_holder(60 * MS) }
    assert_operator waiter.stalled_ns, :>=, 59 * MS
    assert_includes 59 * MS..all_ns, holder.caused_ns
    assert_adds_up waiter
  end

  def test_time_slices_are_preemptions_and_yields_are_not_idle
    threads = Array.new(2) {
      Thread.new { measured { deadline = cpu + 0.25 and (nil while cpu < deadline) } }
    }
    measurements = threads.map(&:value)
    measurements.each do |measurement|
      assert_operator measurement.preemptions, :>=, 1
      assert_equal 0, measurement.sleep_ns + measurement.lock_ns
      assert_adds_up measurement
    end
  end

  def test_acquisitions_are_counted_exactly
    assert_equal 100, measured { GvlWork.release(100) }.acquisitions
  end

  # longest^2 <= sum of squares <= longest x sum, whatever the holds are.
  def test_longest_hold_and_squares
    measurement = measured { [GvlWork.hold(20 * MS), GvlWork.release(2), GvlWork.hold(5 * MS)] }
    longest_us, running_us = [measurement.longest_hold_ns, measurement.running_ns].map { |ns| ns / 1000.0 }
    assert_operator measurement.longest_hold_ns, :>=, 20 * MS
    assert_operator measurement.longest_hold_ns, :<=, measurement.running_ns - 5 * MS
    assert_operator measurement.hold_squares_us2, :>=, longest_us**2 * 0.999
    assert_operator measurement.hold_squares_us2, :<=, longest_us * running_us * 1.001
  end

  def test_garbage_collection_is_billed_to_the_thread_it_runs_on
    GC.disable
    collecting = measured { 3.times { GC.start } }
    idle = measured { GvlWork.hold(MS) }
    assert_operator collecting.gc_ns, :>, collecting.running_ns / 2
    assert_operator collecting.gc_ns, :<=, collecting.running_ns
    assert_equal 0, idle.gc_ns
  ensure
    GC.enable
  end

  def test_units_in_flight
    # A dead thread's units are taken away at the next look.
    wait_until { Holdup::Probe.snapshot[:units_in_flight].zero? }
    alone = measured { GvlWork.hold(5 * MS) }
    assert_equal 1000, alone.in_flight
  end

  # What lengthens a unit's running is who is there while it runs; who comes while it waits does not.
  def test_units_in_flight_count_while_one_runs
    gate = Queue.new
    crowd = Array.new(4) do |others|
      Thread.new { measured { [GvlWork.hold(20 * MS), gate.pop] } }.tap {
        wait_until { gate.num_waiting > others }
      }
    end
    4.times { gate << true }
    crowd.map(&:value).each_with_index { |unit, others|
      assert_in_delta 1000 * (others + 1), unit.in_flight, 250 * (others + 1)
    }
  end

  private

  def beside_a_holder(work_ns)
    held = false
    inside = Queue.new
    waiter = Thread.new do
      measured do
        inside << true
        GvlWork.release(1) until held
      end
    end
    inside.pop
    holder = measured { hold_once_waited_for(work_ns) }
    held = true
    [holder, waiter.value]
  end
end
