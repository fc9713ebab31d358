# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::UnequalProcessesTest < Minitest::Test
  Unequal = Holdup::Report::UnequalProcesses
  MS = 1_000_000
  START = 1_790_000_040

  def teardown = @store&.close

  # @param counts [Array<Integer>] of each worker; `walls`: ms, of each
  def found(counts, walls, host: "web-1", server: "puma")
    @store ||= Holdup::Store.open("memory:")
    setting = Holdup::Setting.new(attributes: {"server" => server, "workers" => counts.size})
    windows = counts.zip(walls).each_with_index.map do |(count, wall_ms), index|
      window("worker #{index}", Array.new(count) { |at| (wall_ms * (0.5 + at.fdiv(count)) * MS).round },
        setting:, host:)
    end
    @store.commit(windows, {})
    Holdup::Report::UnequalProcessesReader.call(@store, from_s: START, to_s: START + 60)
  end

  def window(name, values, setting:, host:)
    series = Holdup::Series.new(kind: :process, name:)
    empty = Holdup::Window.empty(series:, setting:, host:, start_s: START, seconds: 60)
    empty.with(count: values.size, histograms: empty.histograms.merge(wall: Holdup::Histogram.of(values)))
  end

  # As it was recorded of a server of eight workers.
  UNEQUAL = [[310, 99, 98, 99, 98, 99, 98, 99], [160, 40, 40, 40, 40, 40, 40, 40]].freeze

  def test_names_the_worker_with_a_third_of_the_requests_and_four_times_the_p95
    one = found(*UNEQUAL)
    assert_equal "worker 0", one.process.name
    assert_in_delta 0.31, one.share, 0.001
    assert_in_delta 0.125, one.equal, 0.001
    assert_in_delta 4.0, one.times, 0.15
  end

  def test_says_it_in_one_sentence
    words = %w[en ja].map { |language| Holdup::View::Words.new(language) }
    en, ja = words.map { |one| Unequal::Sentence.new(one).call(found(*UNEQUAL)) }
    assert_match(/\Apuma worker 0 had 31.0 % of the requests or jobs, where an equal share is 12.5 %/, en)
    assert_match(/ and [34]\.\d times the p95 of the others \(\d+ ms, the others [\d.]+ ms\)\.\z/, en)
    assert_match(/\Apuma worker 0 はリクエストやジョブの 31.0 % を処理し（均等なら 12.5 %）/, ja)
  end

  def test_workers_that_differ_as_chance_has_it_are_equal
    assert_nil found([130, 110, 120, 125], [40, 44, 39, 47])
  end

  def test_a_worker_with_more_of_the_same_requests_is_no_fault
    assert_nil found([220, 120, 120, 120], [40, 40, 40, 40])
  end

  def test_few_requests_and_a_single_worker_say_nothing
    assert_nil found([60, 10, 10, 10], [160, 40, 40, 40])
    @store = nil
    assert_nil found([500], [160])
  end

  def test_servers_are_compared_with_their_own_processes
    found([200, 200], [40, 40])
    assert_nil found([200, 200], [400, 400], server: "sidekiq")
  end

  def test_names_the_host_where_there_are_several
    found(*UNEQUAL)
    one = found([99] * 8, [40] * 8, host: "web-2")
    assert_match(/web-1/, Unequal::Sentence.new(Holdup::View::Words.new).call(one))
  end
end
