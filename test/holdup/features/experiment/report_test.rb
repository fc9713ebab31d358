# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::ReportTest < Minitest::Test
  Experiment = Holdup::Experiment::Result
  REVISIONS = {candidate: ->(minute) { (minute < 20) ? "abc" : "def" }}.freeze

  # @return [Hash{String => String}] text by language, on one line
  def texts(experiment)
    %w[en ja].to_h do |language|
      page = Holdup::Experiment::Report.new(experiment, words: Holdup::View::Words.new(language)).page
      [language, Holdup::View::Text.new(page).call.gsub(/\s+/, " ")]
    end
  end

  def simulated(minutes: 40, **options) = SimulatedArms.new(minutes:, **options)

  def test_a_deployment
    texts = texts(simulated(revisions: REVISIONS).experiment)
    assert_match(/Invalid: the processes of one arm had several revisions \(abc, def\)\./, texts["en"])
    assert_match(/begin again after the deployment, with --since\./, texts["en"])
    assert_match(/無効：一方のアームのプロセスに複数のリビジョンがあります（abc、def）。/, texts["ja"])
  end

  def test_too_little_traffic
    texts = texts(simulated(minutes: 4).experiment)
    counts = /There are 4 complete blocks of 1 min .* 960 and 960 requests; it takes 6 blocks/
    assert_match(counts, texts["en"])
    assert_match(/無効：トラフィックが足りません。/, texts["ja"])
  end

  def test_processes_of_one_arm_that_differ
    arms = simulated(differing: 0.4)
    equals = [Experiment::EqualArms.new(label: "arm control", sides: arms.halves(:control))]
    texts = texts(arms.experiment(equals:))
    differ = /Invalid: processes with the same setting differ \(arm control: .*elapsed p95 \+\d/
    assert_match(differ, texts["en"])
    assert_match(/無効：設定が同じプロセスの間にも差があります（arm control: /, texts["ja"])
  end

  def test_a_difference_that_changes_with_the_time
    texts = texts(simulated(effect: 0.3, since: 15).experiment)
    assert_match(/Invalid: the difference between the arms changed during the experiment/, texts["en"])
    assert_match(/無効：アームの間の差が、実験中に差そのものより大きく変わりました。/, texts["ja"])
  end

  def test_no_difference_says_what_would_have_been_shown
    texts = texts(simulated(mix: {control: [160, 80], candidate: [80, 160]}).experiment)
    assert_match(/No difference could be shown\. .* would have shown: elapsed p95 \d/, texts["en"])
    assert_match(/Next: go back to the setting of arm control\./, texts["en"])
    mix = /The different mix of endpoints alone would have changed the mean elapsed time by \+\d/
    assert_match(mix, texts["en"])
    assert_match(/No A\/A check: it takes two processes of an arm\./, texts["en"])
    assert_match(/差は示せませんでした。/, texts["ja"])
  end

  def test_errors_that_only_one_arm_has
    texts = texts(simulated(errors: {candidate: 8}).experiment)
    assert_match(/Worse: errors \+\d\.\d %/, texts["en"])
    assert_match(/悪化：エラー \+\d/, texts["ja"])
  end
end
