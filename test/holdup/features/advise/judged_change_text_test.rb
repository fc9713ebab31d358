# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::JudgedChangeTextTest < Minitest::Test
  Judged = Holdup::Advise::JudgedChanges

  def text(language: "en", reason: nil, **facts)
    judged = Judged::JudgedChange.new(key: "a", app: "-", changed_s: 0, reason:,
      facts: facts.transform_keys(&:name))
    Holdup::Advise::JudgedChangeText.new(Holdup::View::Words.new(language)).call(judged)
  end

  def test_what_changed
    assert_equal "Compared with its prediction: the change of threads 5 -> 3, workers - -> 2.",
      text(threads: [5, 3], workers: [nil, 2])
  end

  def test_why_it_has_no_outcome
    assert_equal "The change of threads 5 -> 3 has no outcome: the revision changed at the same time.",
      text(threads: [5, 3], reason: :revision)
  end

  def test_each_reason_has_words_in_each_language
    %w[en ja].each do |language|
      said = Judged::REASONS.map { |reason| text(language:, threads: [5, 3], reason:) }
      assert_equal said.size, said.uniq.size
      said.each { |sentence| assert_includes sentence, "threads 5 -> 3" }
    end
  end
end
