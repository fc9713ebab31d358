# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Autopilot::StateTest < Minitest::Test
  State = Holdup::Autopilot::State
  NOW_S = 1_790_000_000
  TURNS = Holdup::Switchback.after(NOW_S, turn_s: 180, settle_s: 30, cycles: 20, equal_cycles: 3, seed: 1)
  PLAN = Holdup::ExperimentPlan.new(id: "k3f9", lever: "threads", values: [5, 3], turns: TURNS,
    lease: Holdup::PlanLease.new(leased_s: NOW_S, lease_s: 60), by: "collector 7@web-1", why: "p95")

  def test_all_of_it_survives_as_text
    history = [{at_s: NOW_S, id: "k3f9", from: 5, to: 3, by: "collector", why: "p95"}]
    state = State.new(plan: PLAN, kept: PLAN.with(turns: nil), refused: {8 => NOW_S + 86_400},
      waits: :returned, begun: [NOW_S], detail: "@deploy", history:)
    assert_equal state, State.parse(state.to_json)
  end

  def test_a_new_one_survives_too
    assert_equal State.new, State.parse(State.new.to_json)
  end

  # Workers return to what is configured when their leases end.
  def test_what_is_no_state_is_a_new_one
    [nil, "", "{", "[]", "null", "{}", '{"refused": {"x": 1}, "waits": "start"}',
      State.new.to_json.sub('"plan":null', '"plan":"damaged"')].each do |text|
      assert_equal State.new, State.parse(text), text.inspect
    end
  end

  # A later version may have more.
  def test_unknown_facts_are_left_out
    text = State.new(asked_s: 7).to_json.sub("{", '{"mood":"good",')
    assert_equal State.new(asked_s: 7), State.parse(text)
  end

  def test_phases
    assert_equal :waiting, State.new.phase
    assert_equal :kept, State.new(kept: PLAN).phase
    assert_equal :experiment, State.new(kept: PLAN, plan: PLAN).phase
  end
end
