# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Autopilot::ActsReaderTest < Minitest::Test
  NOW_S = 1_790_000_040

  def entry(source, event, at_s: NOW_S, who: :autopilot, from: 5, to: 3)
    Holdup::AuditEntry.new(source:, host: "a", pid: source.ord, at_s:, event:, plan_id: "k3f9",
      lever: "threads", from:, to:, who:)
  end

  # @return [Array<Array(Integer, Symbol, Array<Integer>)>] seconds before now, event and pids
  def acts(*entries)
    store = Holdup::Store.open("memory:")
    store.commit([], {}, audit: entries)
    found = Holdup::Autopilot::ActsReader.call(store, NOW_S - 3600, NOW_S + 1)
    found.map { |act| [NOW_S - act.first.at_s, act.first.event, act.pids] }
  end

  def test_the_processes_of_one_moment_make_one_act
    back = entry("c", :ends, from: 3, to: 5)
    assert_equal [[600, :kept, [97, 98]], [0, :ends, [99]]],
      acts(entry("a", :kept, at_s: NOW_S - 600), entry("b", :kept, at_s: NOW_S - 600), back)
  end

  def test_turns_acts_of_others_and_what_changed_nothing_do_not_count
    assert_empty acts(entry("a", :turn), entry("b", :kept, who: :operator), entry("c", :ends, from: 5, to: 5))
  end

  def test_none_outside_of_the_span
    assert_empty acts(entry("a", :kept, at_s: NOW_S - 4000))
  end
end
