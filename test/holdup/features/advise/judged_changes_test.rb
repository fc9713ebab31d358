# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::JudgedChangesTest < Minitest::Test
  NOW_S = 1_790_000_000
  Judged = Holdup::Advise::JudgedChanges

  def change(key, changed_s: NOW_S - 60, reason: nil)
    Judged::JudgedChange.new(key:, app: "shop", changed_s:, reason:,
      facts: {"threads" => [5, 3], "workers" => [nil, 2]})
  end

  # @return [Holdup::Advise::JudgedChanges] as a store would have kept them, one after the other
  def judged(*changes)
    changes.reduce(Judged.new(:request)) do |all, change|
      Judged.new(:request, all.adding(change, at_s: NOW_S))
    end
  end

  def test_none_at_first
    assert_empty judged.to_a
    assert_nil judged.renewed(at_s: NOW_S)
  end

  def test_is_read_as_it_was_written
    first, second = change("a"), change("b", reason: :few_after)
    assert_equal [first, second], judged(second, first).to_a.sort_by(&:key)
  end

  def test_each_kind_has_its_own
    questions = %i[request job].map { |kind| Judged.new(kind).adding(change("a"), at_s: NOW_S).question }
    assert_equal %i[request job].map { |kind| Judged.question(kind) }, questions
    assert_equal 2, questions.uniq.size
  end

  def test_a_later_judgement_replaces_an_earlier_one
    assert_equal [nil], judged(change("a", reason: :failed), change("a")).to_a.map(&:reason)
  end

  def test_forgets_changes_whose_requests_are_not_kept_any_more
    assert_empty judged(change("a", changed_s: NOW_S - 15 * 86_400)).to_a
  end

  def test_is_renewed_before_the_store_forgets_it
    all = judged(change("a"))
    assert_nil all.renewed(at_s: NOW_S + Judged::REFRESH_S)
    renewed = all.renewed(at_s: NOW_S + Judged::REFRESH_S + 1)
    assert_equal NOW_S + Judged::REFRESH_S + 1, renewed.at_s
    assert_equal all.to_a, Judged.new(:request, renewed).to_a
  end

  def test_what_another_version_wrote_counts_as_nothing
    ["", "{", "[]", "[1]", "{}", "null", '[{"key":"a"}]'].each do |text|
      answer = Holdup::Store::KeptAnswer.new(question: Judged.question(:request), at_s: NOW_S, text:)
      assert_empty Judged.new(:request, answer).to_a, text.inspect
    end
  end
end
