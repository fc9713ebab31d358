# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::SentencesTest < Minitest::Test
  Comparison = Holdup::Compare::Comparison
  MS = 1_000_000
  # What the sentences ask of a comparison.
  Found = Data.define(:estimates) do
    def verdict(metrics) = Comparison::ComparisonVerdict.new(estimates, metrics:).call
  end

  # @param afters [Hash{Symbol => Integer}] milliseconds; 100 before, known to 5 %
  # @return [String] the verdict in one sentence
  def lead(lang: "en", **afters)
    estimates = afters.to_h do |name, after|
      metric = Comparison::Metric::ALL.fetch(name)
      sides = {before: 100 * MS, after: after * MS}
      [name, Holdup::Compare::Estimate.new(metric:, **sides, deviation: 0.05, freedom: 30)]
    end
    words = Holdup::View::Words.new(lang)
    Holdup::Compare::Sentences.new(Found.new(estimates), words:).lead
  end

  def test_no_difference_at_all
    said = lead(wall_p95: 101, wall_p90: 102)
    assert_match(/\ANo difference found\. The smallest .*: elapsed p95 \d+/, said)
  end

  # The verdict is of three figures, and the table has more.
  def test_no_difference_in_the_figures_of_the_verdict_beside_a_row_that_differs
    [50, 200].each do |other|
      assert_match(/\ANo difference found in elapsed p50, elapsed p95; other figures differ\. The smallest /,
        lead(wall_p50: 99, wall_p95: 101, wall_p90: other))
    end
    assert_match(/ほかの数値には差があります/, lead(lang: "ja", wall_p95: 101, wall_p90: 50))
  end
end
