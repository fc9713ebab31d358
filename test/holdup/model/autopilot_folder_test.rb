# frozen_string_literal: true

require "test_helper"
require "holdup/model/autopilot_folder"

class Holdup::AutopilotFolderTest < Minitest::Test
  include TemporaryFolder

  def files = @files ||= Holdup::AutopilotFolder.new(folder)

  def plan(**facts)
    lease = Holdup::PlanLease.new(leased_s: 1_790_000_000, lease_s: 60)
    Holdup::ExperimentPlan.new(id: "k3f9", lever: "threads", values: [5, 3], turns: nil, lease:,
      by: "collector", why: "less stall", **facts)
  end

  def test_frozen_until_thawed
    refute files.frozen_by_file?
    files.freeze_changes("ops@web-1")
    assert files.frozen_by_file?
    assert files.thaw
    refute files.frozen_by_file?
    refute files.thaw
  end

  def test_a_variable_freezes_unless_it_says_no
    assert Holdup::AutopilotFolder.frozen_by?("HOLDUP_AUTOPILOT_FREEZE" => "1")
    [
      {},
      {"HOLDUP_AUTOPILOT_FREEZE" => ""},
      {"HOLDUP_AUTOPILOT_FREEZE" => "0"},
      {"HOLDUP_AUTOPILOT_FREEZE" => "false"}
    ].each { |env| refute Holdup::AutopilotFolder.frozen_by?(env), env }
  end

  def test_what_workers_took_back_is_read_in_order
    assert_empty files.taken_back
    files.take_back(plan, at_s: 10, why: "p95 was\n900 ms")
    files.take_back(plan(id: "zzzz", values: [5, 8]), at_s: 20, why: "")
    assert_equal [["k3f9", 3, 10, Process.pid, "p95 was 900 ms"], ["zzzz", 8, 20, Process.pid, ""]],
      files.taken_back.map { |one| one.to_h.values }
  end

  def test_damaged_lines_are_left_out_and_only_the_latest_are_read
    File.write(File.join(folder, "autopilot.reverted"), "nonsense\n\xFF\n" + "a 1 2 3 x\n" * 1000)
    files.take_back(plan, at_s: 10, why: "late")
    assert_equal "k3f9", files.taken_back.last.id
    assert_operator files.taken_back.size, :<, 500
  end

  def test_nothing_is_written_through_a_link
    File.symlink("/nonexistent", File.join(folder, "autopilot.freeze"))
    assert_raises(Errno::ELOOP) { files.freeze_changes("x") }
  end

  def test_a_plan_without_turns_holds_as_long_as_its_lease
    assert_equal plan, Holdup::ExperimentPlan.parse(plan.to_text)
    values = [-60, -5, 0, 59, 60].map { |after| plan.turn(1_790_000_000 + after)&.value }
    assert_equal [nil, 3, 3, 3, nil], values
    assert_raises(ArgumentError) { plan(lease: nil) }
    assert_raises(ArgumentError) { Holdup::PlanLease.new(leased_s: 1, lease_s: 86_400) }
  end

  def test_the_state_is_read_as_it_was_written
    assert_nil files.state
    files.write_state("{}")
    assert_equal "{}", files.state
  end
end
