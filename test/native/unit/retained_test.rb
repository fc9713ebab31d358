# frozen_string_literal: true

require "native/native_helper"
require "objspace"
require "tmpdir"

# Objects of watched units, from units that allocate a known number of them.
class RetainedTest < NativeTest
  REQUEST = Probe::KINDS.fetch(:request)
  KEPT = []

  def setup
    super
    @dir = Dir.mktmpdir("holdup-native-retained")
    Probe.open_segment("#{@dir}/segment", 10, 64, 0, 0)
    assert Probe.watch_objects(true)
  end

  def teardown
    Probe.watch_objects(false)
    Probe.close_segment
    FileUtils.rm_rf(@dir)
    KEPT.clear
  end

  # @return [Array] as Probe.watched_units has it, the first unit that is watched: which one, is a matter of
  #   time
  def watched(name = "A#a", &)
    wait_until do
      unit(name, &)
      Probe.watched_units.find { |_, watched, *| watched == name }
    end
  end

  def unit(name, handle: Probe.enter)
    yield
    Probe.record(handle, REQUEST, name, nil, nil, false)
  end

  # @return [Array(Integer, Integer)] how many objects of a watch are there, and the bytes of those that are
  #   followed
  def retained(number)
    objects, bytes, large_bytes = Probe.retained_objects(number).fetch(number, [0, 0, 0])
    [objects, bytes + large_bytes]
  end

  # @return [Array(Integer, Integer)] most bytes at once of the objects of a watched unit, with those that
  #   waited for a collection, and without
  def peak(&) = away { watched(&) }.last(2)

  MB = 1_000_000
  TEMPORARIES = {
    "one text" => -> { "x" * 20 * MB },
    "texts" => -> { Array.new(20_000) { "x" * 1000 } },
    "short texts" => -> { Array.new(500_000) { +"x" } },
    "an array of numbers" => -> { Array.new(2_500_000) { |number| number } },
    "an array that grows" => -> { 500_000.times.each_with_object([]) { |number, all| all << number.to_s } },
    "a text among small objects" => -> { [*Array.new(50_000) { Object.new }, "x" * 20 * MB].size }
  }.freeze
  # Slots of 40 bytes, and their places in the array.
  BYTES = {"short texts" => 24 * MB, "an array that grows" => 24 * MB,
           "a text among small objects" => 22.4 * MB}.freeze

  def uncollected
    GC.disable
    yield
  ensure
    GC.enable
  end

  def test_a_watched_units_objects_are_followed
    uncollected do
      number, name, stride, seen, collections = watched { KEPT.push(*Array.new(100) { "x" * 1000 }) }
      assert_equal "A#a", name
      assert_equal 1, stride
      assert_equal GC.count, collections
      assert_includes 101..110, seen, "100 texts, an array, and a few of the probe"
      objects, bytes = retained(number)
      assert_includes 101..seen, objects
      assert_includes 100_000..120_000, bytes
    end
  end

  # On a stack that is gone then.
  def away(&) = Thread.new(&).value

  def test_what_is_not_kept_is_collected
    number, = away { watched { Array.new(1000) { Object.new } } }
    5.times { GC.start }
    assert_operator retained(number).first, :<, 10
  end

  def test_a_minor_collection_frees_what_is_young
    number, = away { watched { Array.new(1000) { Object.new } } }
    GC.start(full_mark: false)
    assert_operator retained(number).first, :<, 10
  end

  def test_what_became_old_goes_with_a_major_collection
    number, = away { watched { KEPT.push(*Array.new(1000) { Object.new }) } }
    5.times { GC.start(full_mark: false) }
    KEPT.clear
    GC.start(full_mark: false)
    assert_operator retained(number).first, :>=, 1000
    GC.start
    assert_operator retained(number).first, :<, 10
  end

  def test_bytes_are_those_of_the_slot_and_of_malloc
    number, = away { watched { KEPT.push("x" * 10_000) } }
    5.times { GC.start }
    assert_includes 10_000..12_000, retained(number).last
  end

  def test_objects_that_moved_are_followed
    number, = away { watched { KEPT.push(*Array.new(1000) { "x" * 1000 }) } }
    GC.compact
    GC.verify_compaction_references(expand_heap: true, toward: :empty)
    objects, bytes = retained(number)
    assert_includes 1000..1010, objects
    assert_includes 1_000_000..1_100_000, bytes
  end

  def test_a_collection_in_each_allocation
    number, = watched do
      GC.stress = true
      KEPT.push(*Array.new(20) { "x" * 1000 })
      GC.stress = false
    end
    assert_includes 20..30, retained(number).first
  ensure
    GC.stress = false
  end

  def test_another_tool_may_trace_allocations
    ObjectSpace.trace_object_allocations do
      number, = away { watched { KEPT.push(*Array.new(100) { Object.new }) } }
      assert_includes 100..120, retained(number).first
      assert_equal __FILE__, ObjectSpace.allocation_sourcefile(KEPT.first)
    end
  end

  def test_a_thread_that_is_killed_ends_its_watch
    unit("A#a") { Thread.new { unit_that_waits }.tap { |thread| Thread.pass until thread.stop? }.kill.join }
    Probe.watched_units
    assert_equal "B#b", watched("B#b") { KEPT.push(Object.new) }[1]
  end

  def unit_that_waits
    Probe.enter
    Array.new(100) { Object.new }
    sleep # until it is killed
  end

  def test_forgotten_objects_are_not_followed
    number, = away { watched { KEPT.push(Object.new) } }
    later, = away { watched { KEPT.push(Object.new) } }
    Probe.forget_objects(number)
    assert_equal [later], Probe.retained_objects(later).keys
  end

  def test_objects_of_another_thread_are_not_the_units
    uncollected do
      _, _, _, seen, = watched { Thread.new { Array.new(5_000) { Object.new } }.join }
      assert_operator seen, :<, 1000
    end
  end

  def test_objects_of_a_unit_inside_are_not_the_outers
    uncollected do
      _, _, _, seen, = watched { unit("B#b") { Array.new(5_000) { Object.new } } }
      assert_operator seen, :<, 1000
    end
  end

  def test_of_a_large_unit_some_objects_are_drawn
    uncollected do
      number, _, stride, seen, = watched { KEPT.push(*Array.new(40_000) { Object.new }) }
      assert_operator seen, :>=, 40_000
      assert_equal 8, stride
      assert_in_delta 40_000, stride * retained(number).first, 2_000
    end
  end

  TEMPORARIES.each do |what, temporary|
    define_method(:"test_peak_of_#{what.tr(" ", "_")}_that_no_collection_meets") do
      uncollected { assert_in_delta BYTES.fetch(what, 20 * MB), peak(&temporary).first, 2 * MB }
    end
  end

  def test_peak_with_other_threads_that_allocate
    stop = false
    others = Array.new(3) { Thread.new { Array.new(1000) { "y" * 1000 } until stop } }
    assert_in_delta 20 * MB, peak(&TEMPORARIES["texts"]).first, 2 * MB
  ensure
    stop = true
    others.each(&:join)
  end

  def test_peak_is_in_use_where_a_collection_meets_it
    most, live = peak { TEMPORARIES["texts"].call.tap { GC.start } }
    assert_in_delta 20 * MB, live, 2 * MB
    assert_operator most, :>=, live
  end

  def test_what_is_freed_in_turn_does_not_add_up
    most, live = peak do
      10.times do
        Array.new(2_000) { "x" * 1000 }.size
        GC.start
      end
    end
    assert_operator most, :<, 8 * MB, "two megabytes each, and what a stack may still refer to"
    assert_operator live, :<, 6 * MB
  end

  def test_peak_of_another_thread_is_not_the_units
    most, = peak { Thread.new(&TEMPORARIES["texts"]).join }
    assert_operator most, :<, 5 * MB, "a thread and its stack"
  end

  def test_a_large_object_among_many_is_followed
    uncollected do
      number, _, stride, = watched { KEPT.push(*Array.new(40_000) { Object.new }, "x" * MB) }
      _, bytes, large_bytes = Probe.retained_objects(number).fetch(number)
      assert_operator stride, :>, 1
      assert_includes MB..(3 * MB), large_bytes, "with the arrays"
      assert_operator bytes, :<, MB
    end
  end

  def test_objects_before_and_after_a_collection_count
    number, = watched do
      KEPT.push(Object.new)
      Array.new(100) { Object.new }.clear
      GC.start
      KEPT.push(Object.new)
    end
    assert_includes 2..10, retained(number).first
  end

  def test_a_unit_that_is_not_recorded_leaves_nothing
    Probe.cancel(Probe.enter)
    assert_empty Probe.retained_objects(1)
    assert_empty Probe.watched_units
    watched { Object.new }
  end

  def test_nothing_is_watched_when_it_is_switched_off
    Probe.watch_objects(false)
    5.times { unit("A#a") { Object.new } }
    assert_empty Probe.watched_units
  end

  def test_a_forked_child_watches_its_own
    handle = Probe.enter
    status = Process.wait2(fork { exit!(child_watches? ? 0 : 1) }).last
    Probe.record(handle, REQUEST, "A#a", nil, nil, false)
    assert_predicate status, :success?
  end

  def child_watches?
    Probe.after_fork
    Probe.enable
    Probe.open_segment("#{@dir}/child", 10, 64, 0, 0)
    watched("Child#a") { Object.new }[1] == "Child#a"
  end
end
