# frozen_string_literal: true

require "native/native_helper"

# Units on fibers that take turns on one thread: each counts only the work of its own fibers.
class FibersTest < NativeTest
  def setup
    super
    Probe.follow_fibers(true)
  end

  def teardown = Probe.follow_fibers(false)

  # Resumes fibers in turn until all are over.
  def take_turns(*fibers)
    results = fibers.map { nil }
    fibers.each_with_index { |fiber, index|
      results[index] = fiber.resume if fiber.alive?
    } while fibers.any?(&:alive?)
    results
  end

  # @param burnt [Array<Integer>] gets what each of its turns took of a CPU, ns
  def turns(count, work_ns, burnt = [])
    Fiber.new { measured { work_in_turns(count, work_ns, burnt) } }
  end

  def work_in_turns(count, work_ns, burnt)
    count.times do
      burnt << burnt_ns { GvlWork.hold(work_ns) }
      Fiber.yield
    end
  end

  def test_interleaved_units_count_their_own_work
    burnt = [[], [], []]
    short, long, = units = []
    all_ns = burnt_ns do
      short, long, = units = take_turns(turns(10, 3 * MS, burnt[0]), turns(10, 9 * MS, burnt[1]),
        turns(20, 6 * MS, burnt[2]))
    end
    units.zip(burnt) do |unit, works|
      assert_operator unit.cpu_ns, :>=, works.sum * 0.95
      assert_adds_up unit
    end
    # No time counts twice. A busy machine makes the turns themselves dear.
    assert_operator units.sum(&:cpu_ns), :<=, all_ns * 1.01
    assert_operator long.longest_hold_ns, :>=, 9 * MS
    # However long it had no CPU in a hold of its own.
    assert_operator short.longest_hold_ns - short.starved_ns, :<, 9 * MS
    assert_worked short.wall_ns - short.running_ns - short.stalled_ns, :io_ns, short
    assert_operator short.io_ns, :>=, 9 * 15 * MS # each of its turns but the last waited for the two others'
  end

  # As `measured_outside`: a thread that has no CPU right before it works without the GVL has less native.
  def test_every_kind_of_time_goes_to_the_fiber_that_spent_it
    burnt = []
    units = wait_until do
      burnt.clear
      of_every_kind(burnt).then { |all| all if all[1].running_ns < MS }
    end
    _, native, sleeping = units
    assert_worked burnt.sum, :native_ns, native, within: 0.2
    assert_operator sleeping.sleep_ns, :>=, 15 * MS
    assert_equal [0, 0], [units[0].sleep_ns, native.sleep_ns]
    assert_operator units[0].native_ns, :<, 5 * MS
    units.each { |unit| assert_adds_up unit }
  end

  # @param burnt [Array<Integer>] gets what each turn of the second one took of a CPU, ns
  # @return [Array<Holdup::Measurement>] units of three fibers: io, native and sleep
  def of_every_kind(burnt)
    native = -> { burnt << burnt_ns { GvlWork.burn(5 * MS) } }
    kinds = [-> { GvlWork.wait(5 * MS) }, native, -> { sleep(0.005) }]
    turns = ->(work) { measured { 3.times { work.call && Fiber.yield || Fiber.yield } } }
    take_turns(*kinds.map { |work| Fiber.new { turns.call(work) } })
  end

  def test_collections_and_acquisitions_are_the_fibers_own
    busy, quiet = take_turns(
      Fiber.new { measured { 3.times { GC.start && Fiber.yield || Fiber.yield } } },
      Fiber.new { measured { 3.times { GvlWork.release(10) && Fiber.yield || Fiber.yield } } }
    )
    assert_operator busy.gc_ns, :>, 0
    assert_equal 0, quiet.gc_ns
    assert_includes 30..40, quiet.acquisitions
  end

  def test_fibers_that_a_unit_starts_are_a_part_of_it
    other = turns(2, MS)
    burnt = []
    unit = measured do
      inner = Fiber.new { work_in_turns(2, 20 * MS, burnt) }
      stranger = Fiber.new(storage: {}) { GvlWork.hold(20 * MS) }
      [inner, other, stranger, inner].each(&:resume)
    end
    assert_worked burnt.sum, :cpu_ns, unit
  ensure
    other.resume while other&.alive? # an open unit would be in flight for the next test
  end

  def test_an_enumerator_is_a_part_of_its_unit
    burnt = []
    unit = measured do
      numbers = Enumerator.new { |out| 3.times { out << (burnt << burnt_ns { GvlWork.hold(10 * MS) }) } }
      3.times { numbers.next }
    end
    assert_worked burnt.sum, :cpu_ns, unit
    assert_operator unit.idle_ns, :<, unit.wall_ns / 10
  end

  def test_a_fiber_that_outlives_its_unit_counts_for_no_unit
    Probe.label(Thread.main, "main")
    fiber = nil
    unit = measured { fiber = Fiber.new { Fiber.yield && nil || GvlWork.hold(30 * MS) } and fiber.resume }
    before = Probe.accounts.fetch("main").first
    other = Fiber.new { measured { fiber.resume } }.resume
    assert_operator unit.cpu_ns + other.cpu_ns, :<, 5 * MS
    assert_operator Probe.accounts.fetch("main").first - before, :>=, 29 * MS
  end

  def test_a_unit_inside_another_counts_in_both
    inner = first_ns = nil
    rest = []
    others = []
    outer, beside = take_turns(
      Fiber.new do
        measured do
          first_ns = burnt_ns { GvlWork.hold(15 * MS) }
          inner = measured { work_in_turns(2, 15 * MS, rest) }
        end
      end,
      turns(3, 20 * MS, others)
    )
    assert_worked rest.sum, :cpu_ns, inner
    assert_worked first_ns + rest.sum, :cpu_ns, outer
    assert_worked others.sum, :cpu_ns, beside
  end

  # Nobody asked for it: the scheduler tells that units take turns here. They work for so long that what Async
  # itself computes does not matter.
  def test_a_thread_with_a_scheduler_is_followed_by_itself
    output = fresh_ruby(<<~RUBY, gems: true)
      require "async"
      Holdup::Probe.enable
      rest = ->(ns) { Async { sleep(0.001) && GvlWork.hold(ns) }.wait }
      work = ->(ns) { measured { 3.times { GvlWork.hold(ns) && nil || rest.call(ns) } } }
      units = Sync { [18, 54].map { |ms| Async { work.call(ms * GvlWork::MS) } }.map(&:wait) }
      puts units.map(&:cpu_ns).join(" "), Holdup::Probe.snapshot[:identity_ticks]
    RUBY
    works, ticks = output.lines
    assert_equal 0, ticks.to_i
    works.split.zip([108, 324]).each { |work, expected|
      assert_in_delta 1.0, work.to_i.fdiv(expected * MS), 0.1
    }
  end

  def test_a_thread_that_dies
    before = Probe.snapshot
    Thread.new { Fiber.new { Probe.enter }.resume }.join
    wait_until { Probe.snapshot[:abandoned] == before[:abandoned] + 1 }
    work_ns = nil
    unit = measured { work_ns = burnt_ns { GvlWork.hold(30 * MS) } }
    assert_worked work_ns, :cpu_ns, unit
  end
end
