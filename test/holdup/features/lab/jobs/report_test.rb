# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jobs
  class ReportTest < Minitest::Test
    # @param steps [Integer, nil] that were done; nil: all
    def result(concurrency: [1, 5, 20], rounds: 1, steps: nil, signal: nil, **played)
      plan = PlayedJobs.plan(concurrency, rounds:)
      JobsResult.new(PlayedJobs.new(**played).ledger(plan, **{steps:}.compact), signal:)
    end

    def quiet = PlayedJobs.quiet

    def said(result, language: "en")
      Holdup::View::Text.new(Report.new(result, words: Holdup::View::Words.new(language)).page).call
    end

    def test_text
      text = said(quiet)
      noise = Holdup::View::Figures.share(quiet.noise)
      text.each_line(chomp: true) { |line| assert_operator line.size, :<=, 80, line }
      assert_match(/^5 \* +1?\d\d +\d+ +[+-]?\d(\.\d)? %.*\n5 ~ /, text)
      assert_match(
        /Two runs of the same setting \(\* and ~\) differed by up to #{Regexp.escape(noise)}/, text.gsub(
          /\s+/, " "
        )
      )
      assert_includes text, "20 threads are enough"
      refute_match(/^!/, text)
      assert_match(/^! 5 threads are the most that ran, and the GVL is free for \d\d\.\d %/,
        said(result(concurrency: [1, 2])))
    end

    def test_text_in_japanese_fits_too
      text = said(quiet, language: "ja")
      text.each_line(chomp: true) { |line| assert_operator Holdup::View::Width.of(line), :<=, 80, line }
      assert_match(/20 スレッドで足ります/, text)
    end

    one_ruby def test_says_what_makes_it_worth_less
      text = said(result(concurrency: [1, 5, 20], steps: 4, rounds: 2, signal: 2, locked: 0.3, errors: 2))
      sentence = /^! Stopped: 4 of 8 runs are left\. `holdup lab jobs --resume jobs\.json` continues\./
      assert_match(sentence, text)
      assert_match(/^! 24 jobs failed/, text)
      refute_includes text, "at another speed"
      slower = said(result(concurrency: [5, 20], truth: 1.5))
      more_cpu = /^! At concurrency 20 a job took \+\d\d\.\d % CPU compared with the run at 5: /
      assert_match(/#{more_cpu}.* at another speed/m, slower.tr("\n", " ").sub("! At", "\n! At"))
      assert_match(/^! With 20 threads \d\d\.\d % of their time is a wait for locks/, text)
    end

    one_ruby def test_for_programs
      json = JSON.parse(Report::Json.new(quiet).call)
      assert_equal ["jobs", 5, 2, 8000, 20, 0, quiet.noise.round(4)],
        json.values_at("lab", "baseline", "rounds", "jobs", "enough", "left", "noise")
      line = json["lines"].last
      assert_equal [20, 2, 2], [line["threads"], line["measured"].size, line["replay"]["errors"].size]
      assert_in_delta line["measured"].sum / 2, line["replay"]["jobs_per_second"],
        line["measured"].first * 0.06
    end
  end
end
