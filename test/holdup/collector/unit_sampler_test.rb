# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class UnitSamplerTest < Minitest::Test
    include TemporaryFolder

    NS = 1_000_000_000
    MS = 1_000_000
    NOW_NS = 3_000_000 * 600 * NS # the end of ten minutes

    def setup
      @store = Holdup::Store.open("memory:")
      @round = new_round
    end

    def test_stores_single_units
      writer = new_writer(setting: {"threads" => 5})
      record(writer, 9, name: "A#b", running: 8 * MS, cpu_ns: 7 * MS, idle: 20 * MS, stalled: 2 * MS,
        acquisitions: 6, longest_hold: 5 * MS, gc_ns: MS, queued: 3 * MS)
      record(writer, 3, name: "ReportJob", kind: :job, queue: "low")
      run_round
      request, job = unit_samples
      expected = {running_ns: 8 * MS, cpu_ns: 7 * MS, idle_ns: 20 * MS, stalled_ns: 2 * MS, acquisitions: 6,
                  longest_hold_ns: 5 * MS, gc_ns: MS, queued_ns: 3 * MS, in_flight_milli: 2500, weight: 1.0}
      assert_equal "A#b", request.series.name
      assert_equal expected, request.to_h.slice(*expected.keys)
      assert_equal [:job, "low", nil], [job.series.kind, job.series.queue, job.queued_ns]
      assert_equal [5, "h", Process.pid, NOW_NS - 9 * NS],
        [request.setting["threads"], request.host, request.process.pid, request.start_ns]
      assert_equal 591 * NS, request.age_ns
    end

    def test_each_unit_comes_once
      writer = new_writer
      4.times { |tick| 3.times { |unit| record(writer, 20 - tick - unit / 9.0) } && run_round }
      run_round
      assert_equal [12, 12.0], [unit_samples.size, unit_samples.sum(&:weight)]
    end

    # Dying before the commit, after it, and with another collector that goes on.
    def test_samples_each_unit_once_after_any_failure
      writer = new_writer
      3.times { |unit| record(writer, 20 + unit) }
      broken = new_round(FailingStore.new(@store))
      2.times do
        assert_raises(Holdup::StoreError::Locked) { broken.run(NOW_NS) }
        broken.forget
      end
      run_round
      @round = new_round
      record(writer, 10)
      run_round
      assert_equal [4, 4.0], [unit_samples.size, unit_samples.sum(&:weight)]
    end

    def test_of_many_so_many_are_drawn_and_which_does_not_hang_on_the_ticks
      drawn = [[1], [1, 40, 7, 300]].map do |ticks|
        writer = new_writer(ring: 4096)
        units = Array.new(3000) { |index| 599 - index * 0.19 }
        units.each_slice(units.size / ticks.size) do |some|
          some.each { |ago| record(writer, ago) } && run_round
        end
        writer.close
        run_round
        unit_samples.tap { @store = Holdup::Store.open("memory:") and @round = new_round }
      end
      assert_equal drawn.first.map(&:start_ns), drawn.last.map(&:start_ns)
      assert_equal [900, 3000], [drawn.first.size, drawn.first.sum(&:weight).round]
    end

    def test_units_that_were_written_over_count
      writer = new_writer(ring: 64)
      200.times { |index| record(writer, 100 - index * 0.1) }
      run_round
      assert_equal [63, 200], [unit_samples.size, unit_samples.sum(&:weight).round]
    end

    def test_puts_units_into_the_block_of_their_start
      writer = new_writer
      [700, 599, 1].each { |ago| record(writer, ago) }
      [650, 651].each { |ago| record(writer, ago) }
      run_round
      assert_equal [1.0], unit_samples.map(&:weight).uniq
      assert_equal [3, 2],
        [[0, NOW_NS / NS - 599], [NOW_NS / NS - 599, 1 << 40]].map { |span| @store.unit_samples(*span).count }
    end

    def test_processes_and_settings_are_sampled_separately
      [["3.3", 1], ["3.4", 2]].each do |ruby, number|
        record(new_writer(setting: {"ruby" => ruby}, suffix: "-#{number}", now_ns: NOW_NS - number * NS), 1)
      end
      run_round
      assert_equal %w[3.3 3.4], unit_samples.map { |one| one.setting["ruby"] }.sort
      assert_equal 2, unit_samples.map(&:process).uniq.size
    end

    def test_leaves_out_units_of_impossible_times
      writer = new_writer
      [-3600, 15 * 86_400].each { |ago| record(writer, ago) }
      record(writer, 5)
      run_round
      assert_equal 1, unit_samples.size
    end

    # Of starts that an application may have, and of damaged ones.
    def test_c_and_ruby_draw_the_same_units
      random = Random.new(4)
      starts = Array.new(500) { NOW_NS - random.rand(700 * NS) } + [0, (1 << 64) - 1]
      slice = Holdup::Segment::RingSlice.new(first: 0, bytes: starts.map { |at| entry(at) }.join)
      limit = Holdup::SampleBlock::DrawPriority::HIGHEST / 3
      within = starts.each_index.select { |index| (NOW_NS - 600 * NS...NOW_NS).cover?(starts[index]) }
      low = within.select { |index| Holdup::SampleBlock::DrawPriority.of(starts[index]) <= limit }
      assert_equal [within.size, low], Holdup::SlotDumps.draw(slice.bytes, NOW_NS - 600 * NS, NOW_NS, limit)
      assert_includes 100..200, low.size
    end

    private

    def entry(start_ns)
      [start_ns].pack("Q<").ljust(Holdup::Segment::Layout::RING_ENTRY_BYTES, "\0".b)
    end

    def new_writer(setting: nil, now_ns: NOW_NS - 600 * NS, **rest)
      writer = SegmentWriter.new(folder, now_ns:, **rest)
      writer.setting = JSON.generate(setting) if setting
      writer
    end

    def record(writer, seconds_ago, name: "A#b", in_flight_milli: 2500, **rest)
      writer.record(name, start_ns: (NOW_NS - seconds_ago * NS).round, in_flight_milli:, **rest)
    end

    def new_round(store = @store)
      warnings = RateLimitedLog.new(log: CollectedLog.new, clock: HandClock.new)
      Round.new(store:, directory: Holdup::Segment::Directory.new(folder), host: "h", warnings:)
    end

    def run_round = @round.run(NOW_NS)

    def unit_samples = @store.unit_samples(0, 1 << 40).to_a
  end
end
