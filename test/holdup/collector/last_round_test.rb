# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class LastRoundTest < Minitest::Test
    include TemporaryFolder

    NS = 1_000_000_000
    NOW_NS = 1_790_000_040 * NS
    FOLDER = "0123456789abcdef"
    SETTING = Holdup::Setting.new(attributes: {"threads" => 5})

    def setup
      @round = LastRound.new(host: "web-1")
      @round.start(NOW_NS)
      @writers = 0
    end

    def writer(**options)
      @writers += 1
      SegmentWriter.new(folder, pid: 7 + @writers, start: 5, worker: 2, now_ns: NOW_NS - 60 * NS, **options)
    end

    def add(writer)
      name = File.basename(writer.path)
      Holdup::Segment::Reader.open(writer.path) { |reader| @round.add(name, reader, SETTING) }
    end

    def found = @round.to_a(FOLDER)

    def test_has_what_runs_for_ten_seconds
      one = writer
      one.profile = {"server" => "puma"}
      one.open_unit(0, "A#b", started_ns: NOW_NS - 10 * NS)
      one.open_unit(1, "B#c", started_ns: NOW_NS - 9 * NS)
      add(one)
      lost = found.first
      assert_equal ["A#b"], lost.units.map { |unit| unit[:name] }
      assert_equal [:lost, NOW_NS, NOW_NS, "web-1", "worker 2", "puma"],
        lost.to_h.values_at(:reason, :gone_ns, :last_round_ns, :host, :name, :server)
      assert_equal "#{FOLDER}/8-5.segment:#{NOW_NS - 60 * NS}:lost", lost.source
      assert_equal SETTING.fingerprint, lost.setting
    end

    def test_a_process_without_long_requests_is_not_in_it
      one = writer
      one.open_unit(0, "A#b", started_ns: NOW_NS - NS)
      add(one)
      assert_empty found
      refute_predicate @round, :news?
    end

    def test_has_the_hundred_that_run_for_longest
      3.times do |process|
        one = writer
        60.times do |index|
          one.open_unit(index, "A#b", started_ns: NOW_NS - (20 + process * 60 + index) * NS)
        end
        add(one)
      end
      assert_equal [60, 40], found.map { |lost| lost.units.size }
      assert_equal [10, 9], found.map(&:pid)
      assert_equal NOW_NS - 139 * NS, found.last.units.map { |unit| unit[:started_ns] }.min
    end

    def test_the_store_learns_when_the_last_of_them_has_ended
      one = writer
      one.open_unit(0, "A#b", started_ns: NOW_NS - 10 * NS)
      add(one)
      assert_predicate @round, :news?
      @round.committed
      @round.start(NOW_NS)
      assert_predicate @round, :news?
      assert_empty found
      @round.committed
      @round.start(NOW_NS)
      refute_predicate @round, :news?
    end

    def test_a_collector_that_ends_by_itself_leaves_nothing
      @round.start(NOW_NS, last: true)
      one = writer
      one.open_unit(0, "A#b", started_ns: NOW_NS - 10 * NS)
      add(one)
      assert_empty found
    end
  end
end
