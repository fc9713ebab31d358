# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jobs
  class JobsResultTest < Minitest::Test
    # @param steps [Integer, nil] that were done; nil: all
    def result(concurrency: [1, 5, 20], rounds: 1, steps: nil, signal: nil, **played)
      plan = PlayedJobs.plan(concurrency, rounds:)
      JobsResult.new(PlayedJobs.new(**played).ledger(plan, **{steps:}.compact), signal:)
    end

    def self.quiet = @quiet ||= yield

    def quiet
      self.class.quiet { result(rounds: 2) }
    end

    def said(result, language: "en")
      Holdup::View::Text.new(Report.new(result, words: Holdup::View::Words.new(language)).page).call
    end

    # 5 ms held and 18 idle: saturated at 20.
    def test_predicts_what_the_same_jobs_do_with_other_threads
      assert_equal [1, 5, 20], quiet.lines.map(&:threads)
      quiet.lines.each { |line| assert_in_delta 0, line.error, 0.05, line.threads }
      assert_operator quiet.worst(:amdahl), :>, quiet.worst
      assert_operator quiet.worst(:closed), :<, 0.08
      assert_in_delta 1, quiet.lines.last.median(&:gvl_share), 0.05
    end

    def test_what_chance_alone_makes_of_the_same
      first, again = [quiet.base, quiet.again].map { |line| line.readings.map(&:throughput) }
      assert_in_delta first.zip(again).map { |one, other| (other / one - 1).abs }.max, quiet.noise
      assert_nil result(steps: 1).noise
      refute_includes quiet.lines, quiet.again
    end

    def test_errors_are_taken_round_by_round
      assert_equal [2, 2, 2], quiet.lines.map { |line| line.errors.values.size }
      assert_equal [2, 0], [quiet.round_count, quiet.left]
      late = result(truth: 1.5)
      assert_operator late.lines.last.error, :>, 0.3
      assert_in_delta 0, late.base.error, 0.05
    end

    def test_the_fewest_threads_that_are_enough
      assert_equal 20, quiet.enough.threads
      assert_equal 5, result(concurrency: [1, 5, 6]).enough.threads
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
