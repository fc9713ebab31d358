# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# The simulation in C, spoken to directly: what it takes, and that it gives its memory back.
class ReplayEngineTest < Minitest::Test
  Engine = Holdup::ReplayEngine
  Unit = Holdup::Advise::Sizing::Trace::TraceUnit
  GROUPS = [[1, 1, 0, 100]].freeze
  OPTIONS = {
    vcpus: 1, handoff_ns: [0], growth: 0, marking: 0, cold: 0, rest_half_ns: 1, idle_growth: 0,
    recorded_processes: 1, assignment: :random, others_assignment: :shared, seed: 1, limit: 0, think_ns: 0,
    answer_ns: 0, lanes: [0], own: 1
  }.freeze
  # Large enough that a hundred lost traces show.
  MANY = 20_000
  MEMORY_BYTES = 100 << 20

  def unit(**options)
    Unit.new(arrival_ns: 0, held_ns: 5, idle_ns: 0, acquisitions: 0, **options)
  end

  def trace(count = 1, **last)
    units = Array.new(count - 1) { unit } << unit(**last)
    Holdup::Advise::Sizing::Trace.new(units).packed
  end

  def simulate(packed = trace, groups = GROUPS, **options)
    Engine.simulate(*packed, groups, **OPTIONS, **options)
  end

  def rows(columns)
    columns.values.map { |column| column.unpack("Q<*") }.transpose
  end

  def refusal(...)
    assert_raises(ArgumentError) { simulate(...) }.message
  end

  def test_tells_what_became_of_a_unit
    columns, totals = simulate
    assert_equal [[0, 0, 5, 5]], rows(columns)
    assert_equal 5.0, totals[:elapsed_ns]
    assert_equal [5.0], totals[:used_ns]
  end

  def test_plays_more_processes_than_a_word_has_bits
    columns, totals = simulate(trace(150), [[150, 1, 0, 100]], vcpus: 150, assignment: :least_busy, own: 150)
    assert_equal [[0, 0, 5, 5]], rows(columns).uniq
    assert_equal [5.0] * 150, totals[:used_ns]
  end

  # A longer hold for each further unit in flight: beyond those whose cost is computed before. The first unit
  # takes the GVL before the others are there.
  def test_costs_of_many_units_in_flight
    [100, 200].each do |units|
      slices = [[1, units, 0, 1 << 40]]
      _, totals = simulate(trace(units), slices, marking: 1.0, own: units)
      assert_in_delta 5 + (1...units).sum { |in_flight| 5 * in_flight }, totals[:elapsed_ns], 0.01
    end
  end

  # Of four users, two wait for an answer when it begins: they asked 20 and 10 ns ago.
  def test_users_wait_from_the_start
    columns, totals = simulate(trace(2), limit: 4, think_ns: 20.0, answer_ns: 20.0, own: 2)
    assert_equal [[20, 0, 5, 25], [15, 0, 5, 20]], rows(columns)
    assert_equal 10.0, totals[:elapsed_ns]
  end

  def test_refuses_a_trace_that_is_not_whole
    arrivals, units = trace
    assert_equal "a trace has 128 bytes a unit", refusal([arrivals, "odd"])
    assert_equal "a trace has an arrival of 8 bytes for each unit", refusal([arrivals * 2, units])
    assert_equal "a trace has an arrival of 8 bytes for each unit", refusal(["odd", units])
  end

  def test_refuses_options_that_are_missing_unknown_or_impossible
    missing = assert_raises(ArgumentError) { Engine.simulate(*trace, GROUPS, **OPTIONS.except(:seed)) }
    assert_equal "missing keyword: :seed", missing.message
    assert_equal "unknown keyword: :cpus", refusal(cpus: 2)
    assert_equal "vcpus is above 0", refusal(vcpus: 0)
    assert_equal "cold is at least 0", refusal(cold: -1.0)
    assert_equal "unknown assignment nowhere", refusal(assignment: :nowhere)
    assert_equal "the trace has 1 units, which is less than 5 own ones", refusal(own: 5)
  end

  # Three threads that want the GVL once: the first gives it up while two wait, the second while one does.
  def test_a_hand_off_depends_on_how_many_wait
    [[[7], 14.0], [[7, 7], 14.0], [[7, 20], 27.0], [[7, 20, 50], 27.0]].each do |handoff_ns, passed_ns|
      _, totals = simulate(trace(3), [[1, 3, 0, 100]], handoff_ns:, own: 3)
      assert_equal 15 + passed_ns, totals[:elapsed_ns], handoff_ns.inspect
    end
  end

  def test_refuses_hand_offs_that_are_none_too_many_or_negative
    most = Engine::HANDOFFS
    assert_equal "handoff_ns has 1..#{most} numbers", refusal(handoff_ns: [])
    assert_equal "handoff_ns has 1..#{most} numbers", refusal(handoff_ns: [0] * (most + 1))
    assert_equal "handoff_ns is at least 0", refusal(handoff_ns: [5, -1])
  end

  def test_refuses_units_out_of_order
    _, units = trace(2)
    assert_equal "units are in the order of their arrival", refusal([[9, 1].pack("Q<*"), units], own: 2)
  end

  def test_words_of_units_are_in_the_order_that_ruby_packs_them
    given = {
      held_ns: 2,
      idle_ns: 3,
      arriving_ns: 2,
      longest_ns: 6,
      in_flight_milli: 7,
      rest_ns: 8,
      group: 9,
      slice_ns: 11,
      pool: 12,
      before: 13,
      lane: 14,
      after: 15,
      after_ns: 16
    }
    unit = Unit.new(arrival_ns: 1, acquisitions: 4, moments: 1, io: true, **given)
    words = Engine::UNIT_WORDS.zip(unit.words).to_h
    assert_equal({**given, holds: 5, gaps: 3, io: 1}, words)
  end

  def test_names_the_columns_of_the_outcome
    assert_equal Holdup::Advise::Sizing::Replay::COLUMNS, simulate.first.keys
  end

  def test_knows_the_assignments_of_a_scenario
    assert_equal Holdup::Advise::Sizing::Scenario::ASSIGNMENTS, Engine::ASSIGNMENTS
  end

  def test_gives_its_memory_back_when_it_refuses
    wrong = trace(MANY, pool: 7)
    wrong_groups = GROUPS * 1023 << [0, 0, 0, 0]
    growth = growth_bytes do
      200.times { refusal(wrong) && refusal(trace, wrong_groups) }
    end
    assert_operator growth, :<, MEMORY_BYTES
  end

  def test_gives_its_memory_back_when_its_thread_is_killed
    endless = Array.new(MANY) { unit(acquisitions: 9_000_000) }
    endless = Holdup::Advise::Sizing::Trace.new(endless).packed
    growth = growth_bytes do
      200.times { kill_while_it_runs { simulate(endless, own: MANY) } }
    end
    assert_operator growth, :<, MEMORY_BYTES
  end

  private

  def kill_while_it_runs(&work)
    thread = Thread.new(&work)
    wait_until { thread.stop? }
    assert_predicate thread, :alive?
    thread.kill.join
  end

  def growth_bytes
    GC.start
    before = resident_bytes
    yield
    GC.start
    resident_bytes - before
  end

  def resident_bytes
    Integer(File.read("/proc/self/statm").split[1]) * 4096
  end
end
