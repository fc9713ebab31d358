# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# sidekiq-worker-killer itself: a job ends, the process is above the limit, and the gem stops it. What has not
# ended when its patience is over is killed with it.
class SidekiqKillerTest < Minitest::Test
  HELD = 3
  # Every process is larger.
  MAX_RSS_MIB = "1"
  # Sidekiq itself would wait for the jobs.
  OPTIONS = %w[-c 5 -q default -q low -t 30].freeze

  def test_a_process_that_ends_itself_is_a_death_with_the_jobs_that_were_killed_with_it
    RedisServer.run do |redis|
      SidekiqProcess.run(redis, *OPTIONS, env: {"MAX_RSS" => MAX_RSS_MIB}) do |sidekiq|
        sidekiq.push("#{HELD}.times { HeldJob.perform_async('default') }")
        sidekiq.wait { held(sidekiq).size == HELD }
        sidekiq.push("PlainJob.perform_async")
        status = sidekiq.wait { Process.wait2(sidekiq.pid, Process::WNOHANG) }.last
        assert_equal Signal.list["KILL"], status.termsig
        assert_death(sidekiq, status.pid)
      end
    end
  end

  private

  # @return [Array<String>] ids of the jobs that have begun and not ended
  def held(sidekiq)
    sidekiq.reported_text("held").to_s.split.map { |job| job[/\A\h+/] }
  end

  def assert_death(sidekiq, pid)
    store = Holdup::Store.open("memory:")
    warnings = Holdup::Collector::RateLimitedLog.new(log: CollectedLog.new, clock: Holdup::Clock.new)
    directory = Holdup::Segment::Directory.new(sidekiq.dir)
    Holdup::Collector::Round.new(store:, directory:, host: "h", warnings:).run(Holdup::Clock.new.realtime_ns)
    death, *others = store.deaths(0, 1 << 40)
    assert_empty others
    assert_equal [pid, :killer], [death.pid, death.reason]
    assert_equal held(sidekiq).sort, death.units.map { |unit| unit[:job_id] }.sort
    assert_equal({"PlainJob" => 1}, counted(store))
  ensure
    store&.close
  end

  # @return [Hash{String => Integer}] jobs that ended
  def counted(store)
    jobs = store.windows(0, 1 << 40).select { |window| window.series.kind == :job }
    jobs.group_by { |window| window.series.name }.transform_values { |same| same.sum(&:count) }
  end
end
