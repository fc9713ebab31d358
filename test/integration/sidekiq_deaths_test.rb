# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# A real Sidekiq with ten threads is killed again and again. Some of its jobs have ended and some last: each
# is counted or in flight, and those that were lost have their name, job id and queue.
class SidekiqDeathsTest < Minitest::Test
  include TemporaryFolder

  KILLS = Integer(ENV.fetch("HOLDUP_TEST_KILLS", Thorough.turns(3, nightly: 334)))
  ENDED = 20
  HELD = {"default" => 3, "low" => 4}.freeze
  THREADS = %w[-c 10 -q default -q low -t 1].freeze
  PUSH = [*HELD.map { |queue, count|
    "#{count}.times { HeldJob.set(queue: #{queue.dump}).perform_async(#{queue.dump}) }"
  }, "#{ENDED}.times { PlainJob.perform_async }"].join("; ")

  repeated_nightly def test_what_was_in_flight_is_named_and_what_had_ended_is_counted
    store = Holdup::Store.open("memory:")
    RedisServer.run do |redis|
      SidekiqProcess.run(redis, *THREADS) do |sidekiq|
        held = Array.new(KILLS) { |number| kill_one(sidekiq, number, store) }
        found = store.deaths(0, 1 << 40)
        assert_equal held.map(&:first), found.map(&:pid)
        held.zip(found) { |(_, jobs), death| assert_equal jobs, in_flight(death) }
        assert_equal({"PlainJob" => KILLS * ENDED}, counted(store))
      end
    end
  ensure
    store&.close
  end

  private

  # Without its collector, so that the segment still has everything when its process is gone.
  # @param number [Integer] of the kill
  # @return [Array(Integer, Array<Array(String, String, String)>)] its pid, and the jobs that it had in flight
  def kill_one(sidekiq, number, store)
    sidekiq.start if number.positive?
    sidekiq.push(PUSH)
    sidekiq.wait { held(sidekiq).size == (number + 1) * HELD.values.sum }
    sidekiq.wait { ended(sidekiq) == ENDED }
    status = sidekiq.stop(:KILL)
    collect(sidekiq, store)
    jobs = held(sidekiq).last(HELD.values.sum).map { |job_id, queue| ["HeldJob", job_id, queue] }
    [status.pid, jobs.sort]
  end

  # @return [Array<Array(String, String)>] job id and queue of each job that lasts, in order of their start
  def held(sidekiq)
    sidekiq.reported_text("held").to_s.split.map { |job| job.split(":") }
  end

  # The segments of those that were killed before are gone.
  def ended(sidekiq)
    slots = sidekiq.units.select { |slot| slot.series.name == "PlainJob" }
    slots.sum(&:count)
  end

  def collect(sidekiq, store)
    warnings = Holdup::Collector::RateLimitedLog.new(log: CollectedLog.new, clock: Holdup::Clock.new)
    directory = Holdup::Segment::Directory.new(sidekiq.dir)
    round = Holdup::Collector::Round.new(store:, directory:, host: "h", warnings:)
    round.run(Holdup::Clock.new.realtime_ns)
    assert_empty sidekiq.entries, "it is carried and removed"
  end

  # @return [Array<Array(String, String, String)>] name, job id and queue
  def in_flight(death)
    death.units.map { |unit| unit.values_at(:name, :job_id, :queue) }.sort
  end

  # @return [Hash{String => Integer}] jobs that ended
  def counted(store)
    jobs = store.windows(0, 1 << 40).select { |window| window.series.kind == :job }
    jobs.group_by { |window| window.series.name }.transform_values { |same| same.sum(&:count) }
  end
end
