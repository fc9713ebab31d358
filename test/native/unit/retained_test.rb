# frozen_string_literal: true

require "native/native_helper"
require "tmpdir"

# Objects of watched units, from units that allocate a known number of them.
class RetainedTest < NativeTest
  REQUEST = Probe::KINDS.fetch(:request)
  KEPT = []

  def setup
    super
    @dir = Dir.mktmpdir("holdup-native-retained")
    Probe.open_segment("#{@dir}/segment", 10, 64, 0, 0)
    @map = ObjectSpace::WeakMap.new
    Probe.watched_units
    assert Probe.watch_objects(@map)
  end

  def teardown
    Probe.watch_objects(nil)
    Probe.close_segment
    FileUtils.rm_rf(@dir)
    KEPT.clear
  end

  # @return [Array(Integer, String, Integer, Integer, Boolean)] the first unit that is watched: which one, is
  #   a matter of time
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

  # Without a collection meanwhile, nothing is missing.
  def uncollected
    GC.disable
    yield
  ensure
    GC.enable
  end

  def test_a_watched_units_objects_are_in_the_map
    uncollected do
      number, name, stride, seen, whole = watched { KEPT.push(*Array.new(100) { "x" * 1000 }) }
      assert_equal ["A#a", 1, true], [name, stride, whole]
      assert_includes 101..110, seen, "100 texts, an array, and a few of the probe"
      objects = []
      @map.each { |object, watch| objects << object if watch == number }
      assert_equal 100, objects.count { |object| KEPT.any? { |kept| kept.equal?(object) } }
    end
  end

  def test_what_is_not_kept_is_collected
    number, = Thread.new { watched { Array.new(1000) { Object.new } } }.value # on a stack that is gone then
    5.times { GC.start }
    assert_operator @map.values.count(number), :<, 10
  end

  def test_bytes_are_those_of_the_slot_and_of_malloc
    assert_includes 10_000..10_200, Probe.object_bytes("x" * 10_000)
    assert_equal 40, Probe.object_bytes(Object.new)
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
      assert_in_delta 40_000, stride * @map.values.count(number), 2_000
    end
  end

  def test_what_a_collection_may_have_freed_is_left_out
    _, _, _, _, whole = watched do
      Array.new(100) { Object.new }
      GC.start
      KEPT.push(Object.new)
    end
    assert_equal false, whole
    assert_equal 1, @map.keys.count { |object| object.equal?(KEPT.last) }
  end

  def test_a_unit_that_is_not_recorded_leaves_nothing
    Probe.cancel(Probe.enter)
    assert_empty @map.keys
    assert_empty Probe.watched_units
    watched { Object.new }
  end

  def test_nothing_is_watched_when_it_is_switched_off
    Probe.watch_objects(nil)
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
