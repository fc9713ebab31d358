# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::UnequalProcessesReaderTest < Minitest::Test
  def sample = @sample ||= SampleWindows.new

  def worker(host, count, wall_ms)
    wall = Holdup::Histogram.of([wall_ms * 1_000_000] * count)
    sample.window("worker 0", kind: :process, queue: nil, count:, histograms: {wall:}).with(host:)
  end

  # @param span [Hash] seconds of it
  def found(*windows, from_s: sample.from_s, to_s: sample.to_s)
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    Holdup::Report::UnequalProcessesReader.call(store, from_s:, to_s:)
  ensure
    store.close
  end

  def test_processes_of_one_name_on_several_hosts_are_apart
    unequal = found(worker("a", 400, 160), worker("b", 200, 40), worker("c", 200, 40))
    assert_equal "a", unequal.process.host
    assert_equal 3, unequal.hosts
  end

  def test_reads_the_span_only
    windows = [worker("a", 400, 160), worker("b", 200, 40), worker("c", 200, 40)]
    assert_nil found(*windows, from_s: sample.to_s, to_s: sample.to_s + 60)
  end
end
