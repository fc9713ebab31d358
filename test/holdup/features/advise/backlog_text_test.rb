# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::BacklogTextTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  MINUTE_NS = 60 * 1_000_000_000

  # @param minutes [Hash{Array(Integer, Integer) => Numeric, nil}] processes and threads => until it is done
  def answer(minutes, now: [1, 5], jobs: 12_400, more: false, rate: 0.0, unrecorded: [])
    times = minutes.map do |(processes, threads), done|
      completion(Sizing::Candidate.new(processes:, threads:), done)
    end
    found = times.find { |one| [one.candidate.processes, one.candidate.threads] == now }
    Sizing::BacklogCompletion::BacklogAnswer.new(at_s: 0, jobs:, more:, arrival_rate: rate, unrecorded:,
      waiting: {"high" => 400, "low" => 12_000}, now: found, times:)
  end

  def completion(candidate, minutes)
    done_ns = minutes && minutes * MINUTE_NS
    wait = Sizing::BacklogCompletion::QueueWait.new(name: "high", mean_ns: 1_500_000_000, last_ns: 0,
      done_ns: 1)
    Sizing::BacklogCompletion::CompletionTime.new(candidate:, done_ns:, queues: minutes ? [wait] : [])
  end

  def text(...) = Holdup::Advise::BacklogText.new(answer(...), words: Holdup::View::Words.new)

  def test_names_the_present_threads_and_the_fewest_that_are_as_fast_as_any
    minutes = {[1, 1] => 50, [1, 5] => 14, [1, 10] => 9.2, [1, 20] => 9, [2, 5] => 5}
    assert_equal "This backlog of 12,400 jobs is done in 14 min at 5 threads (now), 9 min at 10.",
      text(minutes).sentence
  end

  def test_names_the_present_threads_alone_where_no_others_are_faster
    assert_equal "This backlog of 12,400 jobs is done in 14 min at 5 threads (now).",
      text({[1, 1] => 50, [1, 5] => 14, [1, 10] => 13.8}).sentence
  end

  def test_names_fewer_threads_that_are_faster
    assert_match(/in 14 min at 5 threads \(now\), 7 min at 1\./, text({[1, 1] => 7, [1, 5] => 14}).sentence)
  end

  def test_says_that_no_end_is_in_sight
    endless = "At 5 threads (now) this backlog of 12,400 jobs does not end: others arrive as fast as " \
      "jobs are done."
    assert_equal endless, text({[1, 5] => nil, [1, 10] => 20}).sentence
  end

  def test_says_whose_threads_differ_where_a_process_has_several_pools
    candidate = Sizing::Candidate.new(processes: 1, threads: 7, other_threads: [2])
    now = completion(candidate, 14)
    found = answer({[1, 5] => 14}).with(now:, times: [now], pool: "mails")
    text = Holdup::Advise::BacklogText.new(found, words: Holdup::View::Words.new)
    assert_equal "This backlog of 12,400 jobs is done in 14 min at 5 threads (now).", text.sentence
    assert_includes text.sections(limit: 5).first.notes,
      "These are the threads of mails; the other pools of a process keep theirs."
  end

  def test_has_a_row_for_each_setting_and_each_queue
    settings, queues = text({[1, 5] => nil, [1, 10] => 20, [2, 5] => 9}).sections(limit: 10)
    assert_equal [["1", "5", "no end in sight"], ["1", "10", "20.0 min"], ["2", "5", "540 s"]], settings.rows
    assert_equal ["queue", "jobs", "5 threads", "10 threads"], queues.columns
    assert_equal [["high", "400", "no end in sight", "1.50 s"],
      ["low", "12,000", "no end in sight", "no end in sight"]], queues.rows
  end

  def test_names_what_it_takes_as_given
    notes = text({[1, 5] => 9}, rate: 2.5, unrecorded: %w[new]).sections(limit: 1).first.notes
    assert_equal ["More jobs are taken to arrive as they did: 2.50 per second.",
      "No job of new was recorded: these are taken to be like all others."], notes
  end
end
