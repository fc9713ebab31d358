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
      @store = Holdup::Store::Memory.new
      @round = new_round
    end

    def test_units_come_singly_into_the_store
      writer = new_writer(setting: {"threads" => 5})
      record(writer, 9, name: "A#b", running: 8 * MS, cpu_ns: 7 * MS, idle: 20 * MS, stalled: 2 * MS,
        acquisitions: 6, longest_hold: 5 * MS, gc_ns: MS, queued: 3 * MS)
      record(writer, 3, name: "ReportJob", kind: :job, queue: "low")
      run_round
      request, job = profiles
      assert_equal ["A#b", 8 * MS, 7 * MS, 20 * MS, 2 * MS, 6, 5 * MS, MS, 3 * MS, 2500, 1.0],
        [request.series.name,
          *request.to_h.values_at(:running_ns, :cpu_ns, :idle_ns, :stalled_ns, :acquisitions, :longest_hold_ns, :gc_ns,
            :queued_ns, :in_flight_milli, :weight)]
      assert_equal [:job, "low", nil], [job.series.kind, job.series.queue, job.queued_ns]
      assert_equal [5, "h", Process.pid, NOW_NS - 9 * NS],
        [request.setting["threads"], request.host, request.process.pid, request.start_ns]
      assert_equal 591 * NS, request.age_ns
    end

    def test_each_unit_comes_once
      writer = new_writer
      4.times { |tick| 3.times { |unit| record(writer, 20 - tick - unit / 9.0) } && run_round }
      run_round
      assert_equal [12, 12.0], [profiles.size, profiles.sum(&:weight)]
    end

    # Dying before the commit, after it, and with another collector that goes on.
    def test_each_unit_comes_once_whatever_fails
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
      assert_equal [4, 4.0], [profiles.size, profiles.sum(&:weight)]
    end

    def test_of_many_so_many_are_drawn_and_which_does_not_hang_on_the_ticks
      drawn = [[1], [1, 40, 7, 300]].map do |ticks|
        writer = new_writer(ring: 4096)
        units = Array.new(3000) { |index| 599 - index * 0.19 }
        units.each_slice(units.size / ticks.size) { |some|
          some.each { |ago| record(writer, ago) } && run_round
        }
        writer.close
        run_round
        profiles.tap { @store = Holdup::Store::Memory.new and @round = new_round }
      end
      assert_equal drawn.first.map(&:start_ns), drawn.last.map(&:start_ns)
      assert_equal [900, 3000], [drawn.first.size, drawn.first.sum(&:weight).round]
    end

    def test_units_that_were_written_over_count
      writer = new_writer(ring: 64)
      200.times { |index| record(writer, 100 - index * 0.1) }
      run_round
      assert_equal [63, 200], [profiles.size, profiles.sum(&:weight).round]
    end

    def test_units_lie_in_the_ten_minutes_in_which_they_started
      writer = new_writer
      [700, 599, 1].each { |ago| record(writer, ago) }
      [650, 651].each { |ago| record(writer, ago) }
      run_round
      assert_equal [1.0], profiles.map(&:weight).uniq
      assert_equal [3, 2],
        [@store.profiles(0, NOW_NS / NS - 599), @store.profiles(NOW_NS / NS - 599, 1 << 40)].map(&:count)
    end

    def test_processes_and_settings_are_told_apart
      [["3.3", 1], ["3.4", 2]].each { |ruby, number|
        record(new_writer(setting: {"ruby" => ruby}, suffix: "-#{number}", now_ns: NOW_NS - number * NS), 1)
      }
      run_round
      assert_equal %w[3.3 3.4], profiles.map { |one| one.setting["ruby"] }.sort
      assert_equal 2, profiles.map(&:process).uniq.size
    end

    def test_what_can_not_be_is_left_out
      writer = new_writer
      [-3600, 15 * 86_400].each { |ago| record(writer, ago) }
      record(writer, 5)
      run_round
      assert_equal 1, profiles.size
    end

    # A collector of an earlier version left a position that knows no ring.
    def test_an_earlier_version_goes_on
      writer = new_writer
      record(writer, 5)
      run_round
      @store.commit([],
        @store.progress.reject { |key, _| key.end_with?("#units") }.transform_values { |head| without_ring(head) })
      @round = new_round
      record(writer, 4)
      run_round
      assert_equal 2, profiles.size
      assert_equal 2, @store.windows(0, 1 << 40, names: "A#b").sum(&:count)
    end

    private

    def without_ring(head)
      _, *facts = head.unpack("w*")
      ([1] + facts.first(4) + facts.drop(5)).pack("w*")
    end

    def new_writer(setting: nil, now_ns: NOW_NS - 600 * NS, **rest)
      SegmentWriter.new(folder, now_ns:, **rest).tap { |writer|
        writer.setting = JSON.generate(setting) if setting
      }
    end

    def record(writer, seconds_ago, name: "A#b", in_flight_milli: 2500, **rest)
      writer.record(name, start_ns: (NOW_NS - seconds_ago * NS).round, in_flight_milli:, **rest)
    end

    def new_round(store = @store)
      warnings = RateLimitedLog.new(log: CollectedLog.new, clock: HandClock.new)
      Round.new(store:, directory: Holdup::Segment::Directory.new(folder), host: "h", warnings:)
    end

    def run_round = @round.run(NOW_NS)

    def profiles = @store.profiles(0, 1 << 40).to_a
  end
end
