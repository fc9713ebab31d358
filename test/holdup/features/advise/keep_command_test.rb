# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../support/played_advice"

class Holdup::Advise::KeepCommandTest < Minitest::Test
  include PlayedAdvice

  def test_keeps_one_answer_at_a_time_where_one_is_due
    with_kept_advice do |ask|
      text = ask.call("--keep").out
      assert_match(/\AComputed and kept: advice for requests, 24h\. More is due: run it again\.\n/, text)
      told = Array.new(4) { JSON.parse(ask.call("--keep", "--json").out) }
      kept = [{"since" => "24h", "kind" => "job"}, {"since" => "30d", "kind" => "request"},
        {"since" => "30d", "kind" => "job"}, nil]
      assert_equal kept, told.map { |one| one["kept"] }
      assert_equal PLAYED.to_s + 1728, told.last["next_s"]
      assert_match(/\ANothing is due\. Next in 29 min\.\n\z/, ask.call("--keep").out)
      assert_match(/requests, 24h/, ask.call("--keep", now_s: PLAYED.to_s + 1728).out)
    end
  end

  def test_an_answer_that_can_not_be_computed_lets_the_others_have_their_turn
    with_kept_advice do |ask|
      failing = ->(*, kind:, **) { raise Holdup::Error.new("no #{kind}", "wait") }
      said = Holdup::Advise::Reader.stub(:new, failing) { ask.call("--keep", share: false) }
      assert_equal [1, "holdup: no request; wait\n"], [said.status, said.err]
      assert_match(/advice for jobs, 24h/, ask.call("--keep").out)
      refute_includes ask.call("--since", "24h").out, "kept in the store;"
    end
  end

  def test_keep_takes_no_question
    said = advise("--keep", "--slo", "p99", "--since", "24h")
    assert_equal 2, said.status
    assert_match(/--keep can't be combined with .*--slo.*; leave them out/, said.err)
  end
end
