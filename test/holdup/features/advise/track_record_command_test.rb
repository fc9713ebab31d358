# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "support/learned"

class Holdup::Advise::TrackRecordCommandTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  def path = File.join(folder, "store.sqlite3")

  def advise(*arguments, outcomes: [])
    store = Holdup::Store.open(path)
    store.commit(SampleWindows.new(setting: SampleWindows::SETTING.merge("app" => "shop")).to_a, {})
    outcomes.each { |outcome| store.keep(outcome) }
    store.close
    holdup("advise", "--track-record", "--store", path, *arguments, now_s: SampleWindows.new.to_s)
  end

  def test_says_that_there_is_none
    said = advise
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^No prediction has come true or false here yet\.$/, said.out)
  end

  def test_of_the_kind_and_application_that_are_asked_about
    outcomes = [Learned.outcome(1.0, app: "shop"), Learned.outcome(2.0, kind: :job, app: "shop"),
      Learned.outcome(2.0, app: "other")]
    assert_match(/: 2 predictions of/, advise(outcomes:).out)
    assert_match(/: 1 prediction .* median\s+error 0 %/, advise("--app", "shop").out)
    assert_match(/: 1 prediction .* median\s+error 50\.0 %/, advise("--kind", "job").out)
    assert_match(/予測 2 件/, advise("--lang", "ja").out)
    assert_equal 2, JSON.parse(advise("--json").out)["predictions"]
  end

  def test_takes_no_question
    said = advise("--slo", "p99")
    assert_equal 2, said.status
    assert_match(/--track-record can't be combined with --slo; leave them out/, said.err)
    assert_match(/can't be combined with --html/, advise("--html").err)
  end
end
