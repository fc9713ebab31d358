# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_deaths"

class Holdup::Deaths::DeathDetailsTest < Minitest::Test
  include ExampleDeaths

  def text(death, language: "en")
    page = Holdup::Deaths::DeathDetails.new(death, words: Holdup::View::Words.new(language)).page
    Holdup::View::Text.new(page, width: 200).call
  end

  def test_has_all_that_is_known
    shown = text(hogged_death)
    ["puma 4711 died: the kernel killed it", "ReportsController#sales holds the GVL for 41.2 s",
      "OrdersController#index", "waits for the GVL", "2 more requests or jobs had begun", "resident memory",
      "OrdersController#show", "200 ms"].each { |part| assert_includes shown, part }
  end

  def test_names_the_jobs_that_were_lost
    job = open_unit("MailJob", kind: :job, queue: "low", job_id: "j-1")
    shown = text(death(open_process(job, open_unit("A#b"))))
    assert_includes shown, "Jobs that did not end: MailJob j-1."
    refute_includes text(death(open_process(open_unit("A#b")))), "Jobs that did not end"
  end

  def test_a_process_that_did_nothing
    assert_includes text(death), "No request or job was in flight."
  end

  def test_a_process_that_was_lost_with_its_collector
    job = open_unit("MailJob", kind: :job, job_id: "j-1", elapsed_s: 20)
    lost = death(open_process(job), reason: :lost, last_round_ns: NOW_NS, gone_ns: NOW_NS + 312 * NS)
    shown = text(lost)
    assert_includes shown, "puma 4711 died: its container or host is gone with it, or can't reach the store."
    assert_includes shown, "as of the last round of its collector, 312 s before it was missed"
    refute_includes text(death(open_process(job))), "last round"
    assert_includes text(lost, language: "ja"), "312 秒前"
  end

  def test_japanese
    assert_includes text(hogged_death, language: "ja"), "puma 4711 が異常終了しました"
  end
end
