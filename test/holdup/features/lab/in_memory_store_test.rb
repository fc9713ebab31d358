# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/segment_writer"

module Holdup::Lab
  class InMemoryStoreTest < Minitest::Test
    include TemporaryFolder

    MS = 1_000_000

    def writer
      @writer ||= SegmentWriter.new(folder).tap { |writer| writer.setting = %({"threads":5}) }
    end

    def intake = @intake ||= InMemoryStore.new(folder)

    def unit(wall_ms)
      writer.record("A#b", wall: wall_ms * MS, running: MS,
        start_ns: Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
    end

    def test_takes_each_unit_once
      unit(3)
      assert_equal 1, intake.take.count
      2.times { unit(5) }
      assert_equal 3, intake.take.count
      assert_equal 3, intake.take.count
      assert_equal 13 * MS,
        intake.windows.sum { |window| (window.series.kind == :request) ? window.histograms[:wall].sum : 0 }
    end

    def test_leaves_out_what_was_before
      unit(3)
      intake.clear
      assert_equal [0, []], [intake.count, intake.unit_samples]
      unit(7)
      assert_equal 1, intake.take.count
      assert_equal 1, intake.unit_samples.size
      assert_equal({"threads" => 5}, intake.windows.first.setting.attributes)
    end

    def test_samples_processes_at_both_ends_of_a_short_measurement
      unit(3)
      intake.take.clear
      assert_equal [[Process.pid, 1]], looks
      unit(7)
      assert_equal [[Process.pid, 1]], intake.take.then { looks }
      assert_equal [[Process.pid, 2]], intake.close.then { looks }
      assert_equal [[Process.pid, 1]], intake.clear.then { looks }
    end

    # @return [Array<Array(Integer, Integer)>] processes and how often each was sampled
    def looks
      intake.samples.map { |sample| sample[:pid] }.reject(&:zero?).tally.to_a
    end

    def test_makes_the_folder
      place = File.join(folder, "none")
      assert_equal 0, InMemoryStore.new(place).take.count
      assert_path_exists place
    end
  end
end
