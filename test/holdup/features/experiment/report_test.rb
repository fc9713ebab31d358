# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

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

  def json(experiment)
    JSON.parse(Holdup::Experiment::Report.new(experiment, words: Holdup::View::Words.new("en")).json)
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
    assert_match(/無効：設定が同じプロセスの間にも差があります（arm control：/, texts["ja"])
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

  # Eight blocks of a minute, with the first look at ten.
  def test_before_a_look_it_says_when_that_is_and_shows_no_interval
    early = simulated(minutes: 8).experiment(planned_s: 1200)
    texts = texts(early)
    assert_match(/Too early to say; the next look is in about 2 min, at 10 blocks of 1 min\./, texts["en"])
    assert_match(/Intervals appear with the first look/, texts["en"])
    assert_match(/elapsed p95 \d+ ms \d+ ms \+\d\.\d % - - /, texts["en"])
    assert_match(/次の判定は約 2 分後、1 分のブロックが 10 個に/, texts["ja"])
    refute_match(/\.\.\+|\.\.-/, texts.values.join, "an interval")
  end

  def test_before_a_look_programs_get_null
    found = json(simulated(minutes: 8).experiment(planned_s: 1200))
    assert_equal ["running", nil], found["verdict"].values_at("key", "level")
    figure = found["figures"].first
    assert_kind_of Float, figure["relative"]
    assert_empty figure.values_at("relative_interval", "difference_interval", "visible", "verdict").compact
  end

  # The first of five looks at as unsteady a figure.
  def test_an_interval_that_says_nothing_is_not_shown
    early = simulated(minutes: 10).experiment(planned_s: 1200)
    unsteady = early.estimates.first.with(deviation: 2.0)
    assert_operator unsteady.interval(early.level).end, :>, 9.995
    assert_nil early.interval(unsteady)
    assert_equal early.estimates.first.interval(early.level), early.interval(early.estimates.first)
    certain = unsteady.with(before: 1.0, after: 1000.0, deviation: 0.2)
    assert_operator early.interval(certain).end, :>, 9.995, "it is more than ten times as much"
  end

  def test_a_level_is_never_said_to_be_all
    experiment = simulated(minutes: 10).experiment(planned_s: 1200)
    experiment.define_singleton_method(:level) { 0.999_999_9 }
    assert_match(/>99\.999 % interval/, texts(experiment)["en"])
  end

  def test_errors_that_only_one_arm_has
    texts = texts(simulated(errors: {candidate: 8}).experiment)
    assert_match(/Worse: errors \+\d\.\d %/, texts["en"])
    assert_match(/悪化：エラー \+\d/, texts["ja"])
  end
end
