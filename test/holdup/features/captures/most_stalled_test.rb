# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/segment_writer"

class Holdup::Captures::MostStalledTest < Minitest::Test
  def setup
    @dir = Dir.mktmpdir
    @writers = Array.new(3) do |index|
      SegmentWriter.new(@dir, worker: index, pid: 100 + index, now_ns: 1_790_000_000 * NS)
    end
  end

  def teardown = FileUtils.remove_entry(@dir)

  NS = 1_000_000_000

  # @param more [Array<Array(Integer, Integer)>] what each process stalls and runs between the two readings
  # @return [Integer] index of the chosen one
  def chosen(more, &meanwhile)
    @writers.each { |writer| grow(writer, 9 * NS, NS) }
    entries = Holdup::Segment::Directory.new(@dir).entries.sort_by(&:pid)
    found = Holdup::Captures::MostStalled.of(entries) do
      @writers.zip(more) { |writer, (stalled, running)| grow(writer, (9 * NS) + stalled, NS + running) }
      meanwhile&.call
    end
    found.pid - 100
  end

  def grow(writer, stalled_ns, running_ns)
    writer.counter(:stalled_ns, stalled_ns)
    writer.counter(:running_ns, running_ns)
  end

  def test_the_one_that_stalls_most_now
    assert_equal 1, chosen([[5, NS], [80, 0], [60, NS]])
  end

  def test_where_nobody_waits_the_one_that_runs_most
    assert_equal 2, chosen([[0, 3], [0, 4], [0, 5]])
  end

  def test_a_process_that_ends_meanwhile_is_not_chosen
    assert_equal 0, chosen([[5, 0], [4, 0], [9 * NS, 0]]) {
      File.delete(Holdup::Segment::Directory.new(@dir).entries.max_by(&:pid).path)
    }
  end
end
