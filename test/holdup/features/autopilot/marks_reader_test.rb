# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Autopilot::MarksReaderTest < Minitest::Test
  NOW_S = 1_790_000_040

  def entry(source, event, at_s: NOW_S, who: :autopilot, from: 5, to: 3)
    Holdup::AuditEntry.new(source:, host: "a", pid: source.ord, at_s:, event:, plan_id: "k3f9",
      lever: "threads", from:, to:, who:)
  end

  # @return [Array<Array(Integer, String, String)>] seconds before now, label and page
  def marks(*entries, language: "en")
    store = Holdup::Store.open("memory:")
    store.commit([], {}, audit: entries)
    found = Holdup::Autopilot::MarksReader.call(store, from_s: NOW_S - 3600, to_s: NOW_S + 1,
      words: Holdup::View::Words.new(language))
    found.map { |mark| [NOW_S - mark.at, mark.label, mark.page] }
  end

  def test_all_processes_of_one_moment_share_a_mark
    alike = [entry("a", :kept), entry("b", :kept)]
    assert_equal [[0, "autopilot: threads 5 -> 3", "experiments"]], marks(*alike)
    assert_equal ["オートパイロット：threads 5 -> 3"], marks(*alike, language: "ja").map { |mark| mark[1] }
  end

  def test_what_it_takes_back_is_another_act
    back = entry("b", :ends, from: 3, to: 5)
    assert_equal ["autopilot: threads 5 -> 3", "autopilot: threads 3 -> 5"],
      marks(entry("a", :kept, at_s: NOW_S - 600), back).map { |mark| mark[1] }
  end
end
