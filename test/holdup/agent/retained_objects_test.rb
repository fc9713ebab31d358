# frozen_string_literal: true

require "test_helper"
require "holdup/agent/retained_objects"

class Holdup::RetainedObjectsTest < Minitest::Test
  # Puts objects of watches into the map as the extension does.
  class FakeProbe
    attr_reader :map

    def initialize
      @number = 0
      @ended = []
    end

    def watch_objects(map)
      @map = map
      true
    end

    def watch(name, objects, stride: 1)
      @number += 1
      objects.each { |object| @map[object] = @number }
      @ended << [@number, name, stride, objects.size, true]
    end

    def watched_units = @ended.slice!(0..)

    def object_bytes(_object) = 100
  end

  def setup
    @probe = FakeProbe.new
    @collections = 0
    @majors = 0
    @kept = []
    @retained = retained
  end

  def retained(**options)
    Holdup::RetainedObjects.new(probe: @probe, collections: -> { @collections }, majors: -> { @majors },
      **options).tap(&:start)
  end

  # A watch with as many objects that stay.
  def watch(name, count, **options)
    objects = Array.new(count) { Object.new }
    @kept.concat(objects)
    @probe.watch(name, objects, **options)
  end

  def settle
    @retained.tick
    @collections += Holdup::RetainedObjects::COLLECTIONS
    @retained.tick
  end

  def facts(name)
    profile = @retained.profile
    key = profile.key(name) or return
    prefix = key.delete_suffix("name")
    tallies = Holdup::RetainedBlocks.parse(profile["#{prefix}units"], profile["#{prefix}bytes"])
    [tallies.sum(&:watched), tallies.sum(&:retaining), tallies.sum(&:bytes)]
  end

  def test_objects_count_once_enough_collections_have_met_them
    3.times { watch("A#a", 2) }
    @retained.tick
    @collections += 1
    @retained.tick
    assert_empty @retained.profile
    settle
    assert_equal [3, 3, 600], facts("A#a")
    assert_equal 3, @retained.profile["retained.watched"]
  end

  def test_what_retains_nothing_is_counted_and_not_named
    watch("A#a", 1)
    @probe.watch("B#b", [])
    settle
    assert_nil facts("B#b")
    assert_equal [2, 2], @retained.profile.values_at("retained.watched", "retained.names")
  end

  def test_objects_of_which_some_were_drawn_count_for_all
    watch("A#a", 2, stride: 8)
    settle
    assert_equal [1, 1, 1600], facts("A#a")
  end

  def test_watches_that_go_on_are_added
    3.times do
      watch("A#a", 1)
      settle
    end
    assert_equal [3, 3, 300], facts("A#a")
  end

  def test_older_watches_are_taken_as_retained_where_there_are_too_many_objects
    @retained = retained(most_objects: 20)
    10.times { watch("A#a", 5) }
    settle
    assert_equal [10, 10, 5000], facts("A#a")
    watch("A#a", 5)
    settle
    assert_equal [11, 11, 5500], facts("A#a")
  end

  def test_nothing_is_watched_without_collections
    @retained = Holdup::RetainedObjects.new(probe: @probe, collections: -> { 0 }, majors: -> { 0 })
    @retained.start
    watch("A#a", 1)
    @retained.tick
    watch("A#a", Holdup::RetainedObjects::MOST_UNCOLLECTED)
    @retained.tick
    assert_nil @probe.map
  end

  def test_a_major_collection_is_counted
    watch("A#a", 1)
    settle
    @majors = 2
    @retained.tick
    assert_equal 2, @retained.profile["retained.majors"]
  end

  def test_stops
    @retained.stop
    assert_nil @probe.map
  end
end
