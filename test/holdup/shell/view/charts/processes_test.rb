# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::Charts::ProcessesTest < Minitest::Test
  def sample = @sample ||= SampleWindows.new

  def charted(samples = SampleProcesses.new(sample).to_a, language: "en")
    processes = Holdup::Analysis::ProcessReport.new(samples, from_s: sample.from_s, to_s: sample.to_s)
    Holdup::View::Charts::Processes.new(processes, words: Holdup::View::Words.new(language))
  end

  def test_the_container_and_each_process
    charts = charted.to_h
    assert_equal %w[machine process_cpu memory busy], charts.keys
    assert_equal ["sidekiq pid 700", "puma worker 1", "puma worker 0"].sort,
      charts["memory"].series.map(&:label).sort
    charts.each_value { |chart|
      chart.series.each { |line| assert_equal chart.x.values.size, line.values.size }
    }
  end

  def test_titles_state_what_is_found
    titles = charted.block(10).names

    assert_match(/\ACPU of the container: .* \d+ %/, titles["machine"])
    assert_match(/\AMemory \(RSS\) of each process: (?:puma|sidekiq) .* MB\z/, titles["memory"])
  end

  def test_a_container_is_named_in_the_language_of_the_page
    names = {"en" => "container", "ja" => "コンテナ"}
    names.each do |language, name|
      assert_includes charted(language:).block(10).twin.rows.map { |row| row[1] }, name
    end
  end

  # Its last two samples are a second apart: in that one it used a whole CPU.
  def test_the_second_in_which_a_process_ended_is_no_point
    samples = SampleProcesses.new(sample, servers: {"puma" => 1}).to_a
    last = samples.select { |one| one[:pid] == 400 }.max_by { |one| one[:at_s] }
    ended = last.merge(at_s: last[:at_s] + 1, cpu_ns: last[:cpu_ns] + 1_000_000_000, ended: true)
    lines = [samples, samples + [ended]].map { |some| charted(some).to_h["process_cpu"].series.first }
    assert_equal(*lines.map { |line| line.values.compact })
  end

  def test_the_most_that_the_container_can_reach_is_drawn
    machine = charted.to_h["machine"]
    assert_in_delta 1.7 / 4, machine.series.first.values.last, 0.001
    assert_match(/highest possible: \d/, machine.limits.first.label)
  end

  # Twice as many vCPUs halve CPU %, which is what one who added them wants to see.
  def test_cpu_is_a_share_of_the_vcpus_that_the_container_had_then
    grown = SampleProcesses.new(sample).to_a.map do |one|
      early = one[:at_s] < sample.from_s + 180
      (one[:pid].zero? && early) ? one.merge(vcpus: 2.0) : one
    end
    values = charted(grown).to_h["machine"].series.first.values.compact
    assert_equal [0.85, 0.425], [values.first, values.last].map { |share| share.round(3) }
  end

  def test_a_worker_that_replaced_another_has_its_own_line
    before = SampleProcesses.new(sample, servers: {"puma" => 2}).to_a
    after = before.reject { |one| one[:pid] == 401 }.map { |one|
      one[:pid].zero? ? one : one.merge(pid: 500, start: 9)
    }
    labels = charted(before + after).to_h["memory"].series.map(&:label)
    assert_equal ["puma worker 0 (pid 400)", "puma worker 0 (pid 500)", "puma worker 1"], labels.sort
  end

  def test_so_many_lines_as_one_can_tell_apart
    many = SampleProcesses.new(sample, servers: {"puma" => 9}).to_a
    assert_equal 6, charted(many).to_h["process_cpu"].series.size
    assert_equal "puma worker 8", charted(many).to_h["process_cpu"].series.first.label
  end

  def test_the_table_has_every_process_at_every_step
    table = charted.block(50).twin
    assert_equal 4 * sample.to_a.map(&:start_s).uniq.size, table.rows.size
    assert_equal [table.columns.size], table.rows.map(&:size).uniq
    assert_match(/10 more/, charted.block(2).twin.notes.last)
  end

  def test_without_samples_there_is_nothing
    assert_empty charted([])
    assert_empty charted([]).to_h
  end
end
