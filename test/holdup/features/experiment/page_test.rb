# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "tmpdir"

class Holdup::Experiment::PageTest < Minitest::Test
  Query = Data.define(:from_s, :until_s) do
    def limit = 50

    def [](_name) = nil

    def live? = true

    def span = "a span"
  end

  # @return [Holdup::Experiment::Page]
  def page(recording = nil, language: "en", more: [], later_s: 0, context: nil)
    store = Holdup::Store.open("memory:")
    recording&.fill(store, more:)
    now_s = (recording ? recording.to_s : SimulatedArms::START_S) + later_s
    Holdup::Experiment::Page.new(context:, store:, query: Query.new(now_s - 3600, now_s),
      words: Holdup::View::Words.new(language, page: true))
  end

  def text(page)
    Holdup::View::Text.new(Holdup::View::Page.new(title: "t", blocks: page.blocks), table_width: 1000).call
  end

  def json(page) = JSON.parse(page.export("json", "t"))

  # @yieldparam folder [String] of segments
  def page_over_a_folder(**state)
    Dir.mktmpdir do |folder|
      state = Holdup::Autopilot::State.new(**state)
      Holdup::AutopilotFolder.new(folder).write_state(state.to_json)
      yield Data.define(:dir).new(folder)
    end
  end

  def test_why_the_autopilot_changes_nothing_now
    page_over_a_folder(waits: :unknown, detail: "self_test") do |context|
      page = page(TurnsRecording.new(minutes: 60), context:)
      assert_match(/^Autopilot of this host$/, text(page))
      assert_match(/^Why it changes nothing now +the sizing has no answer \(a replay/, text(page))
      assert_equal %w[waiting unknown], json(page)["autopilot"].values_at("phase", "reason")
      assert_match(/今は何も変えない理由/, text(page(language: "ja", context:)))
    end
  end

  def test_nothing_about_an_autopilot_that_is_off
    page_over_a_folder { |context| refute_match(/Autopilot of this host/, text(page(context:))) }
    assert_nil json(page)["autopilot"]
  end

  def test_without_any_it_says_how_to_begin
    said = text(page).gsub(/\s+/, " ")
    assert_match(/No experiment has changed a setting of running processes in the last 90 days/, said)
    assert_match(/the Advice page.*`holdup experiment start`.*set config.autopilot/, said)
    assert_match(/実験はありません.*「アドバイス」ページ/m, text(page(language: "ja")).gsub(/\s+/, ""))
    assert_equal [[], nil, []], json(page).values_at("experiments", "permanent", "changes")
  end

  def test_what_runs_now_with_its_turn_the_rest_and_what_it_will_show
    said = text(page(TurnsRecording.new(minutes: 60)))
    assert_match(/Experiment x7k2 is on: 5 and 3 threads take turns on web-1 for another 44 min\./, said)
    assert_match(/^Turn +31 of 52: (control|candidate)$/, said)
    assert_match(/^Started by +deploy@web-1: 5 threads stall each other$/, said)
    assert_match(/^Verdict +Too early to say; the next look is in\s+about 4 min/, said)
    assert_match(/^Smallest difference that it will show +elapsed p95 \d/, said)
    assert_match(/^x7k2 \(web-1\).* threads 5 \| 3 +2 /, said)
  end

  def test_in_the_a_a_phase_there_is_no_verdict_yet
    said = text(page(TurnsRecording.new(minutes: 10))).gsub(/\n? {2,}/, " ")
    assert_match(/^Turn 6 of 52: \w+; both arms have the value of the control for another 14 min \(A\/A\)/,
      said)
    assert_match(/^Verdict None yet: the two arms have not both been measured/, said)
  end

  def test_who_changed_what_is_below
    said = page(TurnsRecording.new(minutes: 60)).export("md", "t")
    change = /\| x7k2, next turn: experiment \| \S+ \S+ \| threads \| \d \| \d \|/
    assert_match(/^#{change} web-1 \| 4711, 4712 \| deploy@web-1: its turn \|/, said.delete("\\"))
  end

  def test_the_verdict_of_an_experiment_that_is_over
    recording = TurnsRecording.new(minutes: 110)
    over = {at_s: recording.plan.turns.ends_s, event: :ends, from: 3, to: 5, why: "its time is over"}
    page = page(recording, more: [over])
    assert_match(/No experiment runs/, text(page))
    assert_match(/^Better: /, json(page)["experiments"].first["verdict"])
  end

  def test_one_that_was_stopped_says_who_stopped_it
    stop = {at_s: SimulatedArms::START_S + 3000, event: :ends, from: 3, to: 5, who: :operator, by: "",
            why: "stopped before its end"}
    page = page(TurnsRecording.new(minutes: 60), more: [stop])
    assert_match(/No experiment runs/, text(page))
    assert_equal "stopped before its end", json(page)["experiments"].first["verdict"]
  end

  def kept(minutes: 110, more: [], **options)
    lease = Holdup::PlanLease.new(leased_s: SimulatedArms::START_S, lease_s: 60)
    recording = TurnsRecording.new(minutes:, lease:)
    keep = {at_s: SimulatedArms::START_S + 6000, event: :kept, from: 5, to: 3,
            why: "Better: elapsed p95 -20 %."}
    page(recording, more: [keep, *more], **options)
  end

  def test_what_the_autopilot_keeps_with_the_lines_to_write
    page = kept
    said = text(page)
    assert_match(/The autopilot keeps 3 threads instead of 5 on web-1\. Better: elapsed p95 -20 %\./, said)
    assert_match(/config\/puma\.rb:3$/, said)
    assert_match(/-threads 5, 5\n +\+threads 3, 3/, said)
    assert_match(/\A--- config\/puma.rb:3\n/, json(page)["permanent"])
    assert json(page)["experiments"].first["kept"]
  end

  def test_what_was_taken_back_is_not_kept
    back = {at_s: SimulatedArms::START_S + 6100, event: :ends, from: 3, to: 5, who: :operator, by: "ops",
            why: "frozen"}
    said = text(kept(more: [back]))
    assert_match(/the autopilot keeps no other setting than the configured\sone/, said)
  end

  # Their lease has ended with them.
  def test_of_processes_that_are_gone_nothing_is_kept
    assert_match(/the autopilot keeps no other setting/, text(kept(later_s: 3600)))
  end

  def test_each_file_of_the_page
    page = page(TurnsRecording.new(minutes: 60))
    assert_includes page.export("md", "Experiments"), "x7k2"
    assert_includes page.export("csv", "Experiments"), "x7k2"
    first = json(page)["experiments"].first
    assert_equal [[5, 3], true, false, [4711, 4712]],
      first.values_at("threads", "running", "kept", "processes")
  end
end
