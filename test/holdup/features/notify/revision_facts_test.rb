# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Notify::RevisionFactsTest < Minitest::Test
  RevisionFacts = Holdup::Notify::RevisionFacts
  WORSE = RevisionFacts.new(app: "shop", revision: "b", before: "a", began_s: 1_790_000_000, look_s: 1800,
    key: :worse, moved: [["wall_p95", 0.3]], text: "It is worse.")

  def test_is_read_from_json_as_it_was
    assert_equal WORSE, RevisionFacts.load(JSON.parse(JSON.generate(WORSE.to_h), symbolize_names: true))
  end

  def test_a_notice_keeps_what_its_sentence_needs
    assert_equal %i[app revision before began_s look_s moved], WORSE.told.keys
  end

  def test_only_one_answer_is_worse
    assert_predicate WORSE, :worse?
    refute_predicate WORSE.with(key: :both), :worse?
  end
end
