# frozen_string_literal: true

require "test_helper"
require "holdup/agent/retained_objects"

class Holdup::RetainedObjectsTest < Minitest::Test
  # Follows objects of watches as the extension does.
  class FakeProbe
    attr_reader :on

    # @param collections [#call]
    def initialize(collections)
      @collections = collections
      @number = 0
      @ended = []
      @objects = {}
    end

    def watch_objects(on)
      @on = on
      true
    end

    def watch(name, count, stride: 1, peak: 0, live: 0)
      @number += 1
      @objects[@number] = count if count.positive?
      @ended << [@number, name, stride, count, @collections.call, peak, live]
    end

    def watched_units = @ended.slice!(0..)

    def retained_objects(last)
      @objects.select { |number, _| number <= last }.transform_values { |count| [count, count * 100, 0] }
    end

    def forget_objects(last) = @objects.delete_if { |number, _| number <= last }

    def collect(number) = @objects.delete(number)
  end

  def setup
    @collections = 0
    @probe = FakeProbe.new(-> { @collections })
    @majors = 0
    @retained = retained
  end

  def retained(**options)
    Holdup::RetainedObjects.new(probe: @probe, collections: -> { @collections }, majors: -> { @majors },
      **options).tap(&:start)
  end

  # A watch with as many objects that stay.
  def watch(...) = @probe.watch(...)

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
    watch("B#b", 0)
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

  def test_watches_that_ended_just_now_wait_for_the_next_collections
    watch("A#a", 1)
    @collections += 3
    watch("A#a", 1)
    @collections += 1
    @retained.tick
    assert_equal [1, 1, 100], facts("A#a")
  end

  def test_what_a_major_collection_frees_is_not_retained
    watch("A#a", 1)
    watch("A#a", 1)
    settle
    @probe.collect(1)
    @majors = 1
    @retained.tick
    assert_equal [2, 1, 100], facts("A#a")
  end

  def test_a_major_collection_is_counted
    watch("A#a", 1)
    settle
    @majors = 2
    @retained.tick
    assert_equal 2, @retained.profile["retained.majors"]
  end

  def test_peaks_are_said_at_once
    watch("A#a", 0, peak: 300, live: 100)
    watch("A#a", 0, peak: 200, live: 200)
    @retained.tick
    assert_equal ["A#a", 2, 300, 100, 500],
      @retained.profile.values_at(*%w[name watched bytes live_bytes sum_bytes].map { |key| "peak.0.#{key}" })
  end

  def test_stops
    @retained.stop
    assert_equal false, @probe.on
  end
end
