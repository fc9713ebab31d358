# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::TraceFormats::SpeedscopeTest < Minitest::Test
  TraceFormats = Holdup::Captures::TraceFormats
  MS = 1_000_000

  def document(ring, to: 200 * MS)
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to:))
    TraceFormats::Speedscope.new(TraceFormats::Picture.new(scene)).call
  end

  def ring(threads: {2 => "srv 1", 3 => "srv 2"})
    EventRing.new(threads:).running(2).idle(3)
  end

  # Two threads that take the GVL from each other at random, with units, stacks and waits of each kind.
  def random_ring(random)
    made = ring
    at = 0
    holder, other = 2, 3
    unit = 0
    20.times do
      from = at + random.rand(1..3) * MS
      unit += 1
      made.begins(unit, holder, from)
      made.stack(holder, from + 100, ["A#a", "/a.rb", random.rand(1..3)], ["B#b", "/b.rb", 1])
      made.ready(other, from + 1000, kind: %i[io lock sleep].sample(random:))
      made.ends(unit, holder, from + 2000, name: ["GET /hog", "GET /light"].sample(random:))
      at = from + random.rand(1..4) * MS
      made.suspended(holder, at).resumed(other, at + random.rand(0..MS))
      at += MS
      holder, other = other, holder
    end
    made
  end

  # speedscope refuses a file in which this is wrong.
  def check(document)
    frames = document[:shared][:frames]
    assert_equal frames.uniq, frames
    document[:profiles].each do |profile|
      open = []
      times = profile[:events].map { |event| event[:at] }
      assert_equal times.sort, times
      profile[:events].each do |event|
        assert_includes 0...frames.size, event[:frame]
        (event[:type] == "O") ? open.push(event[:frame]) : assert_equal(open.pop, event[:frame])
      end
      assert_empty open
      assert_includes profile[:startValue]..profile[:endValue], times.minmax.first || 0
      assert_operator times.last || 0, :<=, profile[:endValue]
    end
  end

  def test_frames_open_and_close_in_order_whatever_happened
    10.times do |seed|
      found = document(random_ring(Random.new(seed)))
      assert_operator found[:profiles].sum { |profile| profile[:events].size }, :>, 100
      check(found)
    end
  end

  # Each stack as its names, and ns from and to.
  def stacks(document, thread)
    names = document[:shared][:frames].map { |frame| frame[:name] }
    profile = document[:profiles].find { |one| one[:name] == thread }
    open = []
    found = profile[:events].group_by { |event| event[:at] }.map do |at, events|
      events.each { |event| (event[:type] == "O") ? open.push(names[event[:frame]]) : open.pop }
      [at, open.dup]
    end
    found.each_cons(2).map { |(from, stack), (to, _)| [stack, from, to] }
  end

  # Only an event shows which state a thread had before it.
  def test_a_thread_without_events_is_unknown_all_the_time
    found = document(ring.suspended(2, 20 * MS))

    assert_equal [[%w[running], 0, 20 * MS], [%w[idle], 20 * MS, 200 * MS]], stacks(found, "srv 1")
    assert_equal [[%w[unknown], 0, 200 * MS]], stacks(found, "srv 2")
  end

  def test_the_unit_is_outside_and_its_state_inside
    found = document(ring.begins(1, 2, 10 * MS).ends(1, 2, 60 * MS, name: "GET /hog"))

    assert_equal ["running"], stacks(found, "srv 1").first.first
    assert_includes stacks(found, "srv 1"), [["GET /hog", "running"], 10 * MS, 60 * MS]
    check(found)
  end

  def test_the_kind_of_idleness_is_inside_the_state
    made = ring.suspended(2, 20 * MS).ready(2, 90 * MS, kind: :lock).resumed(2, 90 * MS)

    assert_includes stacks(document(made), "srv 1"), [%w[idle lock], 20 * MS, 90 * MS]
  end

  # A unit that follows another of the same name is a new frame, not a longer one.
  def test_two_units_of_one_name_are_two_frames
    made = ring
    made.begins(1, 2, 10 * MS).ends(1, 2, 20 * MS, name: "GET /hog")
    made.begins(2, 2, 20 * MS).ends(2, 2, 30 * MS, name: "GET /hog")
    found = document(made)
    names = found[:shared][:frames].map { |frame| frame[:name] }
    opened = found[:profiles].first[:events].select do |event|
      event[:type] == "O" && names[event[:frame]] == "GET /hog"
    end

    assert_equal [10 * MS, 20 * MS], opened.map { |event| event[:at] }
    assert_equal 1, names.count("GET /hog"), "they share a name in the table"
  end

  # While the stack stays the same below, its frames stay open.
  def test_callers_stay_open_while_callees_change
    made = ring(threads: {2 => "srv 1"})
    main = ["Main#run", "/main.rb", 1]
    made.stack(2, 40 * MS, ["A#a", "/a.rb", 1], main).stack(2, 120 * MS, ["B#b", "/b.rb", 1], main)
    found = document(made)
    names = found[:shared][:frames].map { |frame| frame[:name] }
    opened = found[:profiles].first[:events].select { |event| event[:type] == "O" }

    assert_equal ["running", "Main#run", "A#a", "B#b"], opened.map { |event| names[event[:frame]] }
    check(found)
  end

  def test_methods_of_one_name_in_two_files_are_two_frames_in_time
    made = ring(threads: {2 => "srv 1"})
    made.stack(2, 40 * MS, ["call", "/a.rb", 1]).stack(2, 120 * MS, ["call", "/b.rb", 1])
    events = document(made)[:profiles].first[:events]

    assert_equal %w[O O C O C C], events.map { |event| event[:type] }
  end

  def test_a_thread_without_a_name_has_its_number
    assert_equal ["thread 2"], document(EventRing.new(threads: {2 => ""}).running(2))[:profiles]
      .map { |profile| profile[:name] }
  end

  def test_the_schema_by_which_speedscope_knows_it
    found = document(ring)

    assert_equal "https://www.speedscope.app/file-format-schema.json", found[:$schema]
    assert_equal [["evented", "nanoseconds", 0, 200 * MS]],
      found[:profiles].map { |one| one.values_at(:type, :unit, :startValue, :endValue) }.uniq
  end
end
