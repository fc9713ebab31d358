# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::TraceFormats::TraceJsonTest < Minitest::Test
  TraceFormats = Holdup::Captures::TraceFormats
  MS = 1_000_000
  LENGTH = 200 * MS

  def scene(ring, **bytes)
    bytes = ring.bytes(to: LENGTH, **bytes)
    Holdup::Captures::Timeline::Scene.new(Holdup::Capture::EventLog.parse(bytes, path: "the ring"))
  end

  def document(ring, **bytes)
    TraceFormats::TraceJson.new(TraceFormats::Picture.new(scene(ring, **bytes))).call
  end

  def ring(threads: {2 => "srv 1", 3 => "srv 2"})
    EventRing.new(threads:).running(2).idle(3)
  end

  def test_a_unit_that_ended_has_all_its_facts
    trace = "0af7651916cd43dd8448eb211c80319c"
    unit = document(ring.begins(1, 2, 10 * MS).ends(1, 2, 60 * MS, name: "GET /hog", trace:))[:units].first

    assert_equal 1, unit[:id]
    assert_equal 2, unit[:thread]
    assert_equal "GET /hog", unit[:name]
    assert_equal :request, unit[:kind]
    assert_equal 10 * MS, unit[:from_ns]
    assert_equal 60 * MS, unit[:to_ns]
    assert_equal trace, unit[:trace]
    assert unit[:whole]
    refute unit[:failed]
    refute_nil unit[:failed]
  end

  # Its name and kind come with its end.
  def test_of_a_unit_that_did_not_end_only_its_time_is_known
    unit = document(ring.begins(1, 2, 150 * MS))[:units].first

    %i[name kind failed trace].each { |key| assert_nil unit.fetch(key), key }
    assert_equal 150 * MS, unit[:from_ns]
    assert_equal LENGTH, unit[:to_ns], "it went on to the window's end"
    refute unit[:whole]
  end

  def test_what_a_unit_caused
    made = ring.begins(1, 2, 1 * MS).begins(2, 3, 2 * MS).ready(3, 10 * MS, unit: 2)
    made.suspended(2, 100 * MS, unit: 1).resumed(3, 100 * MS, unit: 2)
    made.ends(1, 2, 101 * MS, name: "GET /hog").ends(2, 3, 110 * MS, name: "GET /light")
    hog, light = document(made)[:units]

    assert_equal 90 * MS, hog[:caused_ns]
    assert_equal 0, light[:caused_ns]
  end

  def test_a_wait_is_the_sum_of_its_holders_and_the_hand_off
    threads = {2 => "srv 1", 3 => "srv 2", 4 => "srv 3"}
    made = EventRing.new(threads:).running(2).idle(3).idle(4)
    made.ready(3, 10 * MS).ready(4, 10 * MS).suspended(2, 50 * MS).resumed(4, 51 * MS)
    made.suspended(4, 61 * MS).resumed(3, 62 * MS)
    periods = document(made)[:threads].flat_map { |thread| thread[:periods] }
    waits, others = periods.partition { |period| period[:state] == :stalled }

    assert_equal 2, waits.size
    waits.each do |wait|
      assert_equal wait[:to_ns] - wait[:from_ns],
        wait[:handoff_ns] + wait[:held_by].sum { |part| part[:ns] }
    end
    assert_equal [[2, 40 * MS], [4, 10 * MS]],
      waits.max_by { |wait| wait[:to_ns] }[:held_by].map { |part| part.values_at(:thread, :ns) }
    others.each { |period| refute period.key?(:held_by) }
  end

  def test_the_periods_of_a_thread_follow_each_other
    made = ring.suspended(2, 20 * MS).ready(2, 90 * MS, kind: :sleep).resumed(2, 91 * MS)
    document(made)[:threads].each do |thread|
      bounds = thread[:periods].flat_map { |period| period.values_at(:from_ns, :to_ns) }
      assert_equal [0, LENGTH], bounds.minmax
      assert_equal bounds[1..-2].each_slice(2).map(&:first), bounds[1..-2].each_slice(2).map(&:last)
    end
  end

  def test_only_idle_time_has_a_kind
    made = ring.suspended(2, 20 * MS).ready(2, 90 * MS, kind: :sleep).resumed(2, 91 * MS)
    periods = document(made)[:threads].first[:periods]
    idle, others = periods.partition { |period| period[:state] == :idle }

    assert_equal [:sleep], idle.map { |period| period[:kind] }
    others.each { |period| refute period.key?(:kind) }
  end

  def test_the_window
    found = document(ring)

    assert_equal 1, found[:schema]
    assert_equal 7, found[:pid]
    assert_nil found.fetch(:worker), "the ring's process is none of several"
    assert_equal 1_790_000_000_000_000_000, found[:begin_ns]
    assert_equal LENGTH, found[:length_ns]
    assert_equal 0, found[:overwritten]
    assert found[:complete]
  end

  def test_a_worker_has_its_number
    of = scene(ring)
    [[0, 0], [3, 3], [-1, nil]].each do |index, number|
      header = of.recording.header.with(worker_index: index)
      numbered = Holdup::Captures::Timeline::Scene.new(of.recording.with(header:))
      found = TraceFormats::TraceJson.new(TraceFormats::Picture.new(numbered)).call
      assert_equal [number], [found.fetch(:worker)], index
    end
  end

  def test_a_capture_whose_process_was_killed_is_not_complete
    refute document(ring.suspended(2, 20 * MS), closed: false)[:complete]
  end

  def test_a_garbage_collection_is_of_its_thread
    threads = document(ring.collected(2, 20 * MS, 30 * MS))[:threads]

    assert_equal [[2, [{from_ns: 20 * MS, to_ns: 30 * MS}]], [3, []]],
      threads.map { |thread| thread.values_at(:number, :collections) }
  end

  def test_samples_point_into_stacks_and_stacks_into_frames
    made = ring(threads: {2 => "srv 1"})
    inner, outer = ["A#a", "/a.rb", 1], ["Main#run", "/main.rb", 9]
    made.stack(2, 40 * MS, inner, outer).stack(2, 80 * MS, outer).stack(2, 120 * MS, inner, outer)
    found = document(made)

    assert_equal [0, 1, 0], found[:samples].map { |sample| sample[:stack] }
    named = found[:stacks].map { |stack| stack.map { |frame, _| found[:frames][frame][:label] } }
    assert_equal [%w[A#a Main#run], %w[Main#run]], named
    assert_equal LENGTH, found[:methods].sum { |row| row[:held_ns] }
  end

  def test_without_stacks_the_tables_are_empty
    assert_equal [[], [], [], []], document(ring).values_at(:frames, :stacks, :samples, :methods)
  end
end
