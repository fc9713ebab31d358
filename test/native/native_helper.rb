# frozen_string_literal: true

require "test_helper"
require "holdup/agent/probe"
require "holdup/model/measurement"
require "native/gvl_work"

# Tests of the C probe. Exact GVL work in, ratios and identities out; no absolute milliseconds.
class NativeTest < Minitest::Test
  include GvlWork::Measuring

  Probe = Holdup::Probe
  MS = GvlWork::MS
  NUMBERS = Holdup::UnitNumbers
  PARTS = NUMBERS::STATES.keys.map { |state| :"#{state}_ns" }.freeze

  def setup
    flunk Probe.unsupported_reason unless Probe.supported?
    Probe.enable
  end

  # Ruby 4.0 counts them only where it was built for statistics.
  def interpreted_instructions_counted?
    fresh_ruby("p RubyVM::YJIT.runtime_stats[:vm_insns_count].to_i", options: ["--yjit"]).to_i.positive?
  end

  # Nearly all of another part: neither depends on how busy the machine is.
  def assert_mostly(part, measurement, of: :idle_ns, share: 0.9)
    actual = measurement.public_send(part).fdiv(measurement.public_send(of))
    assert_operator actual, :>=, share, "#{part} is #{(actual * 100).round(1)} % of #{of} in #{measurement}"
  end

  # What resuming fibers and getting a CPU again take of a busy machine, beside the work. Work that counts
  # twice, or in the wrong place, is three times as much.
  BESIDE_NS = 5 * MS

  # The work that was asked for, to within a share of it, and what came beside it.
  def assert_worked(work_ns, part, measurement, within: 0.05)
    actual = measurement.public_send(part)
    message = "#{part} against #{work_ns} ns of work in #{measurement}"
    assert_operator actual, :>=, work_ns * (1 - within), message
    assert_operator actual, :<=, work_ns * (1 + within) + BESIDE_NS, message
  end

  # What the thread used of CPUs in the block: more than was asked for, where the machine's host took the CPU
  # away and the clock did not see it.
  def burnt_ns
    before = cpu
    yield
    ((cpu - before) * 1_000_000_000).round
  end

  def cpu
    Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
  end

  def assert_adds_up(measurement)
    assert_equal measurement.wall_ns, PARTS.sum { |part| measurement.public_send(part) }, measurement.to_s
    assert_equal measurement.running_ns, NUMBERS::RUNNING_STATES.sum { |part| measurement.public_send(part) }
    assert_equal measurement.idle_ns, NUMBERS::IDLE_STATES.sum { |part| measurement.public_send(part) }
  end

  # Work without the GVL. Where a long stretch of it begins nobody reads the CPU's clock: what the thread ran
  # under the GVL until then is taken off as if it had a CPU all the while, and where it had none too much is.
  def measured_outside(most_running_ns = MS, &work)
    wait_until { measured(&work).then { |unit| unit if unit.running_ns < most_running_ns } }
  end

  # Measures the block in a thread of its own. What it waits for is done only once it waits, however long it
  # took to get there.
  # @param release [#call] does that
  def measured_until(release, &work)
    waiter = Thread.new { measured(&work) }
    wait_until { waiter.stop? }
    GvlWork.wait(20 * MS)
    release.call
    waiter.value
  end

  # Holds the GVL once a thread waits for it: a thread that has no CPU yet does not wait.
  def hold_once_waited_for(work_ns)
    nil until Probe.snapshot[:waiting_threads].positive?
    GvlWork.hold(work_ns)
  end

  # Threads that end by themselves; the identity is exact while no thread waits.
  def assert_identity
    snapshot = settled
    assert_equal 0, snapshot[:identity_ticks], snapshot.to_s
  end

  # Of all threads: other tests' libraries may have left some here, and they may wait too.
  # @return [Integer] for how long they stalled during the block
  def stalled_ns
    before = settled
    yield
    settled[:stalled_ns] - before[:stalled_ns]
  end

  def settled
    wait_until { Probe.snapshot.then { |snapshot| snapshot if snapshot[:waiting_threads].zero? } }
  end
end
