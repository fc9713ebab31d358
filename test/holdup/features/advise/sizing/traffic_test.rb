# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/counted_arrivals"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class TrafficTest < Minitest::Test
    RECORDING = PlayedRecording.new(rate: 20.0, minutes: 60)

    def traffic(recording = RECORDING, **)
      Traffic.of(recording.unit_samples, recording.arrivals, **)
    end

    def seconds(trace) = trace.units.last.arrival_ns / 1e9

    def test_blocks_of_ten_minutes
      assert_equal [10] * 6, traffic.blocks.map { |block| block.rates.size }
      assert_equal 6 * 10 * 60, traffic.unit_samples.size
    end

    def test_a_short_recording_has_short_blocks
      assert_equal [1] * 4, traffic(PlayedRecording.new(minutes: 4)).blocks.map { |block| block.rates.size }
    end

    # Four times fifteen minutes, of which every other one is half as slow again.
    def drift
      @drift ||= begin
        samples = Array.new(60) do |minute|
          slow = (minute / 15).odd? ? 1.5 : 1.0
          {at_s: PlayedRecording::START_S / 60 * 60 + 60 * (minute + 1), host: "web-1",
           fixed_work_ns: (slow * 1e6).round}
        end
        slowness = SpeedEffect::HostSlowness.of(samples, RECORDING.unit_samples)
        running, idle = [1.0, 0.0].map { |value| SpeedEffect::SpeedExponent.new(value:, deviation: 0.1) }
        SpeedEffect.new(slowness, running:, idle:)
      end
    end

    def drifting
      all = RECORDING.unit_samples.map { |unit| drift.slowed(unit, drift.slowness(unit)) }
      Traffic.of(all, RECORDING.arrivals, speed: drift)
    end

    def mean_held(units) = units.sum(&:held_ns).fdiv(units.size)

    def test_each_minute_is_replayed_at_its_own_speed
      trace = drifting.recorded(units: 100_000)
      by_quarter = trace.units.group_by { |unit| unit.arrival_ns / 900_000_000_000 }
      first, second, third = by_quarter.values_at(0, 1, 2).map { |units| mean_held(units) }
      assert_in_epsilon 1.5, second / first, 0.05
      assert_in_epsilon 1.5, second / third, 0.05
    end

    # Blocks of ten minutes have minutes of both speeds: what is drawn for one has its speed, not that of the
    # minute in which it was recorded.
    def test_units_of_a_block_have_the_speed_of_the_minute_that_they_are_drawn_for
      trace = drifting.recorded(units: 100_000)
      block = trace.units.select { |unit| (600..1199).cover?(unit.arrival_ns / 1_000_000_000) }
      fast, slow = block.partition { |unit| unit.arrival_ns < 840_000_000_000 }
      slow = slow.select { |unit| unit.arrival_ns >= 960_000_000_000 }
      assert_in_epsilon 1.5, mean_held(slow) / mean_held(fast), 0.08
    end

    def test_a_peak_has_units_of_all_speeds
      traffic = drifting
      units = traffic.peak(units: 8000).units
      assert_in_epsilon traffic.mean_of(:running_ns), mean_held(units), 0.04
      parts = units.each_slice(1000).map { |some| mean_held(some) }
      assert_operator parts.max / parts.min, :<, 1.3
    end

    def test_parts_and_changed_traffic_keep_the_speeds
      traffic = Traffic.of(RECORDING.unit_samples, RECORDING.arrivals, speed: drift)
      changed = traffic.map { |unit| unit.with(idle_ns: 0) }
      [traffic.resampled(Random.new(1)), traffic.with(traffic.blocks.first(3)), changed].each do |part|
        assert_operator part.fastest, :>, 1.1
      end
      assert_in_delta 1.5**0.5, traffic.fastest, 0.05
      assert_equal 1.0, traffic(RECORDING).fastest
    end

    # 45 s with units and 135 s without, by turns.
    def turns(weight: 1.0)
      unit = RECORDING.unit_samples.first
      random = Random.new(4)
      starts = Array.new(20 * 45 * 4) { |index| index / 900 * 180 + random.rand(45.0) }.sort
      starts.map do |at_s|
        start_ns = (PlayedRecording::START_S / 60 * 60 + 60 + at_s) * 1_000_000_000
        unit.with(start_ns: start_ns.round, queued_ns: 0, weight:)
      end
    end

    def turning(all, unit_samples = all)
      times = Recording::ArrivalTimes.new(CountedArrivals.of(all), kind: :request)
      arrivals = times.minutes.transform_values { |hosts| hosts.sum(&:count) }
      Traffic.of(unit_samples, arrivals, times:)
    end

    # Share of the arrivals in the last quarter of their minutes.
    def late(trace)
      trace.arrivals.count { |at_ns| at_ns % 60_000_000_000 >= 46_000_000_000 }.fdiv(trace.size)
    end

    def test_replays_the_arrivals_that_were_counted
      all = turns
      found = turning(all)
      assert found.arrival_draws
      trace = found.recorded(units: 10_000)
      assert_equal all.size, trace.size, "each unit"
      assert_equal 0.0, late(trace)
      expected = all.map { |unit| unit.start_ns % 60_000_000_000 }
      assert_equal expected, trace.arrivals.map { |at_ns| at_ns % 60_000_000_000 }, "at its own time"
    end

    def test_of_a_sample_replays_as_many_in_each_second
      all = turns(weight: 2.0)
      found = turning(all, all.each_slice(2).map(&:first))
      trace = found.recorded(units: 10_000)
      assert_equal [all.size, 0.0], [trace.size, late(trace)]
      assert_in_delta found.peak_rate, 10_000 / (found.peak.arrivals.last / 1e9), 0.1
      assert_operator found.peak.arrivals.each_cons(2).count { |one, other| other - one > 10e9 }, :>, 5
    end

    def test_a_changed_traffic_keeps_its_bursts
      found = turning(turns)
      half = found.map { |unit| unit if unit.start_ns.even? }
      assert half.arrival_draws
      assert_in_delta half.weight * 60, half.recorded(units: 10_000).size, 150
      assert_equal 0.0, late(half.recorded(units: 10_000))
      assert found.with(found.blocks.first(1)).arrival_draws
    end

    def test_tells_what_it_would_be_without_counts
      found = turning(turns).independent
      assert_nil found.arrival_draws
      assert_nil found.with(found.blocks.first(1)).arrival_draws
      assert_operator late(found.recorded(units: 10_000)), :>, 0.1
      assert_same found, found.independent
    end

    def test_without_counts_units_come_independently
      assert_nil traffic.arrival_draws
      none = Recording::ArrivalTimes.new([], kind: :request)
      assert_nil traffic(times: none).arrival_draws
    end

    # Half a minute of a minute and 15 s of the next, with 20 units a second.
    def short(seed: 1, seconds: 45)
      random = Random.new(seed)
      from_s = PlayedRecording::START_S / 60 * 60 + 30
      units = Array.new(20 * seconds) do
        unit = RECORDING.unit_samples.first
        held_ns = (random.rand < 0.2) ? 100 : 10
        at_ns = from_s * 1_000_000_000 + random.rand(seconds * 1_000_000_000)
        unit.with(start_ns: at_ns, running_ns: (-held_ns * Math.log(1 - random.rand)).round, weight: 1.0)
      end
      counts = units.group_by { |unit| unit.start_ns / 60_000_000_000 * 60 }.transform_values(&:size)
      covered = {from_s - 30 => 30.0, from_s + 30 => seconds - 30.0}
      whole = counts.to_h { |at_s, count| [at_s, count * 60 / covered.fetch(at_s)] }
      Traffic.of(units.sort_by(&:start_ns), whole, covered:)
    end

    def test_less_than_four_minutes_have_parts_of_minutes_as_blocks
      found = [15, 45, 90, 200].to_h do |seconds|
        units = short(seconds: 31).unit_samples.each_with_index.map do |unit, index|
          unit.with(start_ns: (PlayedRecording::START_S + index * seconds / 620.0).round * 1_000_000_000)
        end
        minutes = units.to_h { |unit| [unit.start_ns / 60_000_000_000 * 60, 600] }
        [seconds, Traffic.of(units, minutes).block_s]
      end
      assert_equal({15 => 5, 45 => 5, 90 => 10, 200 => 60}, found)
    end

    def test_parts_of_minutes_have_their_own_units_at_the_rate_of_the_minute
      found = short
      assert_equal [5, 9, 2], [found.block_s, found.blocks.size, found.size_in_minutes]
      assert_in_delta 45, found.blocks.sum { |block| block.seconds.sum }, 0.1
      assert_in_delta 900 / 60.0, found.weight, 0.01
      assert_in_delta 20, found.mean_rate, 0.1
      rates = found.blocks.map { |block| block.rates.first }
      assert_equal 2, rates.uniq.size
      assert_in_delta found.peak_rate, rates.max
      assert_in_delta 1.0, found.blocks.map { |block| block.weight * 60 / block.unit_samples.size }.max, 0.01
      half = found.map { |unit| unit if unit.start_ns.even? }
      assert_in_delta half.unit_samples.size / 60.0, half.weight, 0.02
    end

    # Intervals of 90 % from the two minutes that it touches hold the true mean in half of the recordings.
    def test_intervals_of_a_short_recording_hold_the_truth
      held = (1..60).count do |seed|
        bootstrap = Sufficiency::RecordingBootstrap.new(short(seed:), seed:)
        bootstrap.interval { |part, _| part.mean_of(:running_ns) }.cover?(28.0)
      end
      assert_operator held, :>=, 44
    end

    def test_the_peak_is_the_busiest_twentieth
      assert_in_delta 24, traffic.peak_rate, 0.3
      two = traffic(hosts: RECORDING.arrivals.transform_values { 2 })
      assert_in_delta traffic.peak_rate / 2, two.peak_rate, 1e-9
      assert_in_delta traffic.peak_rate, 10_000 / seconds(traffic.peak), 1
    end

    # The recording ended with a burst, ten seconds into a minute.
    def test_a_part_of_a_minute_is_not_the_peak
      last_s = RECORDING.arrivals.keys.last
      arrivals = RECORDING.arrivals.merge(last_s => 6 * RECORDING.arrivals.values.last)
      found = Traffic.of(RECORDING.unit_samples, arrivals, covered: {last_s => 10})
      assert_in_epsilon traffic.peak_rate, found.peak_rate, 0.01
      assert_in_epsilon traffic.swings, found.swings, 0.02
    end

    # Light requests come often, then heavy ones come half as often and take eight times as long.
    def test_the_peak_of_a_mix_that_changes
      first, last = [[20.0, 5], [10.0, 40]].map do |rate, held|
        shapes = {"Page#h#{held}" => [1.0, held, 10, 2]}
        PlayedRecording.new(rate:, minutes: 10, swing: 0.0, shapes:)
      end
      later_s = 600
      arrivals = first.arrivals.merge(last.arrivals.transform_keys { |at_s| at_s + later_s })
      moved = last.unit_samples.map { |unit| unit.with(start_ns: unit.start_ns + later_s * 1_000_000_000) }
      found = Traffic.of(first.unit_samples + moved, arrivals)
      mean = (20 * 5 + 10 * 40) / 30.0
      assert_in_delta 10 * 40 / (20 * mean) - 1, found.mix_at_peak, 0.03
      assert_in_delta 0.0, traffic.mix_at_peak, 0.02, "the same mix all the time"
      assert_equal last.arrivals.keys.map { |at_s| at_s + later_s }, found.peak_minutes
      assert_empty traffic.peak_minutes
      assert_empty Traffic.of([], {}).peak_minutes, "without requests"
    end

    def test_as_recorded_or_every_so_many_minutes_of_it
      assert_in_delta RECORDING.units, traffic.recorded(units: 10**6).size, 0.02 * RECORDING.units
      part = traffic.recorded(units: 20_000)
      assert_in_delta traffic.mean_rate, part.size / seconds(part), 1
      assert_operator part.size, :<, 26_000
    end

    # 1,200 a minute: parts of four minutes, each of another quarter of the recording.
    def test_of_minutes_with_more_than_are_wanted_it_takes_parts_of_several
      trace = traffic.recorded(units: 500)
      assert_in_delta 500, trace.size, 75
      assert_in_delta 500 / traffic.mean_rate, seconds(trace), 4
      quarters = traffic.blocks.flat_map(&:rates).each_slice(15).map { |rates| rates.first.fdiv(4) }
      assert_in_delta quarters.sum, trace.size / seconds(trace), 3
    end

    # Six seconds after a boot, in which everything takes ten times as long.
    def test_a_minute_that_was_recorded_in_part_counts_for_that_part
      two = PlayedRecording.new(rate: 20.0, minutes: 2, swing: 0.0)
      boot_s = two.arrivals.keys.first
      units = two.unit_samples.map do |unit|
        unit.with(running_ns: (unit.start_ns / 1_000_000_000 < boot_s + 60) ? 100 : 10, weight: 1.0)
      end
      part = Traffic.of(units, two.arrivals, covered: {boot_s => 6.0})
      assert_in_delta (6 * 100 + 60 * 10) / 66.0, part.mean_of(:running_ns), 1e-6
      assert_in_delta 20.0, part.mean_rate
      trace = part.recorded(units: 10**6)
      assert_in_delta 66, seconds(trace), 1
      slow = trace.units.count { |unit| unit.held_ns == 100 }
      assert_in_delta 6 / 66.0, slow.fdiv(trace.size), 0.03
    end

    # One unit in thirty is kept of 20 a second; the block says for how long each holds the GVL.
    # @return [Array<Float>] mean of each replayed minute
    def held_by_minute
      start_s = PlayedRecording::START_S / 60 * 60
      kept = Array.new(800) do |at|
        start_ns = (start_s + at * 1.5) * 1_000_000_000
        RECORDING.unit_samples.first.with(start_ns: start_ns.to_i, weight: 30.0, running_ns: yield(at))
      end
      arrivals = Array.new(20) { |minute| [start_s + minute * 60, 1200] }.to_h
      by_minute = Traffic.of(kept, arrivals).recorded(units: 10**6).units.group_by do |unit|
        unit.arrival_ns / 60_000_000_000
      end
      by_minute.sort.map { |_, same| same.sum(&:held_ns).fdiv(same.size) }
    end

    # One unit in two hundred takes long: of four minutes such a one was kept, of 16 none. Replayed like that,
    # it would come five times as often in these four minutes.
    def test_a_replay_of_a_sample_has_no_minutes_that_are_chance
      minutes = held_by_minute { |at| (at % 200 == 7) ? 2000 : 1 }
      assert_operator minutes.max, :<, 2.5 * minutes.sum / minutes.size
    end

    def test_a_replay_of_a_sample_has_what_changed
      minutes = held_by_minute { |at| (at < 400) ? 10 : 200 }
      assert_in_epsilon 20, minutes.last(10).sum / minutes.first(10).sum, 0.1
    end

    # Ten seconds in which chance has made most units slow. They are blocks of intervals; a replay of them
    # alone would have a queue that never was.
    def test_a_replay_mixes_the_units_of_a_minute
      one = PlayedRecording.new(rate: 20.0, minutes: 1, swing: 0.0)
      from_s = one.arrivals.keys.first
      units = Array.new(300) do |number|
        start_ns = (from_s * 1_000_000_000) + number * 200_000_000
        one.unit_samples.first.with(start_ns:, running_ns: (number < 50) ? 100 : 10, weight: 1.0)
      end
      parts = Traffic.of(units, one.arrivals)
      assert_equal 6, parts.blocks.size
      trace = parts.recorded(units: 10**6)
      assert_in_delta 60, seconds(trace), 1
      slow = trace.units.each_with_index.select { |unit, _| unit.held_ns == 100 }.map(&:last)
      assert_in_delta 1 / 6.0, slow.size.fdiv(trace.size), 0.04
      assert_in_delta 0.5, slow.count { |index| index < trace.size / 2 }.fdiv(slow.size), 0.12
    end

    def test_units_stand_for_what_was_not_kept
      heavy = RECORDING.unit_samples.map do |unit|
        (unit.series.name == "OrdersController#index") ? unit.with(weight: unit.weight * 3) : unit
      end
      orders = Traffic.of(heavy, RECORDING.arrivals).peak(units: 4000).units.count { |unit|
        unit.acquisitions == 6
      }
      assert_in_delta 1.2 / 1.8, orders / 4000.0, 0.03
    end

    def test_a_part_that_is_gone_takes_its_load_with_it
      left = traffic.map { |unit| unit unless unit.series.name == "OrdersController#index" }
      assert_in_delta 0.6 * traffic.mean_rate, left.mean_rate, 0.03 * traffic.mean_rate
      assert_equal [2], left.peak(units: 100).units.map(&:acquisitions).uniq
      assert_empty traffic.map { nil }.blocks
    end

    def test_the_same_seed_is_the_same_trace
      assert_equal traffic.peak(seed: 3, units: 50).units, traffic.peak(seed: 3, units: 50).units
      refute_equal traffic.peak(seed: 3, units: 50).units, traffic.peak(seed: 4, units: 50).units
    end

    # Ten minutes that are unlike others make intervals wide, and more units of the same do not make them
    # narrow.
    def test_an_interval_from_blocks
      even, uneven = [0.05, 0.6].map { |swing|
        Sufficiency::RecordingBootstrap.new(traffic(PlayedRecording.new(minutes: 120,
          swing:))).interval { |part, _| part.mean_rate }
      }
      assert_operator even.end - even.begin, :<, 0.2 * (uneven.end - uneven.begin)
      assert_equal even,
        Sufficiency::RecordingBootstrap.new(traffic(PlayedRecording.new(minutes: 120,
          swing: 0.05))).interval { |part, _| part.mean_rate }
    end
  end
end
