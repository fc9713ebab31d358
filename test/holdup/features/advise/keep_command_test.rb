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

  CHANGED_S = PlayedStore::START_S / 3600 * 3600
  # When all of the two hours after the change are stored.
  JUDGED_S = CHANGED_S + 3 * 3600

  # @yieldparam ask [#call] runs `holdup advise --keep` where the number of processes was changed
  def with_a_change
    before, after = {CHANGED_S - 600 => 1, CHANGED_S => 2}.map do |from_s, processes|
      PlayedStore.new(PlayedRecording.new(minutes: 10, rate: 0.5, processes:), from_s:, pid: processes * 10)
    end
    before.in_a_file(after) do |path|
      yield(lambda do |*arguments, now_s: JUDGED_S|
        holdup("advise", "--keep", "--store", path, *arguments, now_s:)
      end)
    end
  end

  def test_judges_a_change_of_the_size_once_after_the_answers
    with_a_change do |ask|
      told = Array.new(6) { JSON.parse(ask.call("--json").out) }
      assert_equal 4, told.count { |one| one["kept"]&.key?("since") }
      judged = {"kind" => "request", "app" => "-", "changed_s" => CHANGED_S, "facts" => {"workers" => [1, 2]},
                "reason" => "few_before"}
      assert_equal [judged, nil], told.last(2).map { |one| one["kept"] }
    end
  end

  def test_says_when_a_change_can_be_judged
    with_a_change do |ask|
      4.times { ask.call(now_s: CHANGED_S + 7000) }
      ready_s = CHANGED_S + 2 * 3600 + Holdup::Advise::SizeChanges::COMPLETE_AFTER_S
      assert_equal ready_s, JSON.parse(ask.call("--json", now_s: CHANGED_S + 7000).out)["next_s"]
      said = ask.call(now_s: ready_s).out
      assert_includes said, "(requests). The change of workers 1 -> 2 has no outcome: too few"
    end
  end

  # A run that the system ends for its CPU would be started again and again.
  def test_a_change_whose_comparison_ended_early_is_not_tried_again
    with_a_change do |ask|
      4.times { ask.call }
      failing = ->(*) { raise Holdup::Error.new("no replay", "wait") }
      said = Holdup::Advise::Reader.stub(:new, failing) { ask.call }
      assert_equal [1, "holdup: no replay; wait\n"], [said.status, said.err]
      assert_nil JSON.parse(ask.call("--json").out)["kept"]
    end
  end

  def test_keep_takes_no_question
    said = advise("--keep", "--slo", "p99", "--since", "24h")
    assert_equal 2, said.status
    assert_match(/--keep can't be combined with .*--slo.*; leave them out/, said.err)
  end
end
