# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::ProcessesPageTest < Minitest::Test
  Blocks = Holdup::View::Blocks

  def sample = @sample ||= SampleWindows.new

  def page(processes: SampleProcesses.new(sample).to_a, windows: sample.stored, **params)
    store = Holdup::Store.open("memory:")
    store.commit(windows, {}, processes:)
    query = Holdup::Web::PageQuery.new(params.transform_keys(&:to_s), now_s: sample.to_s)
    Holdup::Report::ProcessesPage.new(context: nil, store:, query:, words: Holdup::View::Words.new)
  end

  def leads(...) = page(...).blocks.grep(Blocks::Lead)

  def titles(...) = page(...).blocks.grep(Holdup::View::Section).map(&:title)

  def test_workers_pools_and_queues
    assert_equal 3, titles.size
    assert_equal page.charts.keys, page.blocks.grep(Blocks::FetchedCharts).first.names.keys
  end

  # One process reaches little more than one of four CPUs.
  def test_says_which_cpus_the_processes_can_not_reach
    one = SampleProcesses.new(sample, servers: {"puma" => 1}).to_a
    enough = SampleProcesses.new(sample, vcpus: 2.0).to_a
    few, many = [one, enough].map { |processes| leads(processes:).first }
    assert_equal :warn, few.level
    assert_equal :good, many.level
  end

  def test_each_host_has_a_sentence_of_its_own
    hosts = %w[web-1 web-2].flat_map { |host| SampleProcesses.new(sample, host:).to_a }
    assert_equal 2, leads(processes: hosts).size
  end

  # @param walls [Array<Integer>] ms of each request, by worker
  def workers(counts, walls)
    counts.zip(walls).each_with_index.map do |(count, wall_ms), index|
      wall = Holdup::Histogram.of([wall_ms * 1_000_000] * count)
      sample.window("worker #{index}", kind: :process, queue: nil, count:, histograms: {wall:})
    end
  end

  def test_names_the_worker_that_had_more_and_slower_requests
    unequal, equal = [[310, 230, 230, 230], [250] * 4].zip([[160, 40, 40, 40], [40] * 4])
      .map { |counts, walls| leads(windows: [*sample.stored, *workers(counts, walls)]).map(&:text) }
    assert_empty equal.grep(/worker 0/)
    assert_match(/\Apuma 8.0.2 worker 0 had 31.0 % .* equal share is 25.0 %, and [34].\d times the p95/,
      unequal.grep(/worker 0/).first)
  end

  def test_without_samples_there_are_no_charts_and_no_sentence_about_cpus
    assert_empty page(processes: []).blocks.grep(Blocks::FetchedCharts)
    assert_empty leads(processes: [])
  end

  def test_without_anything_it_says_what_to_do
    commands = page(processes: [], windows: []).blocks.grep(Blocks::Commands).flat_map(&:items)
    assert_equal ["holdup doctor"], commands.map(&:to_s)
  end
end

class Holdup::Report::WhatRunsOnProcessesPageTest < Minitest::Test
  include Dashboard
  include TemporaryFolder

  NOTHING_RUNS = "No request or job runs now in 1 process of this host."

  def dashboard = super(dir: folder)

  def test_begins_with_what_runs_now
    SegmentWriter.new(folder)
    get "/processes"
    assert_operator text.index(NOTHING_RUNS), :<, text.index("worker 0")
  end

  def test_says_nothing_of_a_host_without_processes
    get "/processes"
    assert_includes text, "worker 0"
    refute_match(/No request or job runs now/, text)
  end

  def test_says_so_where_nothing_is_stored_yet
    SegmentWriter.new(folder)
    @app = Holdup::Web.new(store: -> { Holdup::Store.open("memory:") }, dir: folder, auth: :none,
      clock: CommandLine::Still.new(now_s: sample.to_s))
    get "/processes"
    assert_includes text, NOTHING_RUNS
  end
end
