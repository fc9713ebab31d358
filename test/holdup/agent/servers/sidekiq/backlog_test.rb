# frozen_string_literal: true

require "test_helper"
require "json"
require "sidekiq"
require "holdup/agent/guard"
require "holdup/agent/servers/sidekiq"

# What is asked and made of the answers; a real Sidekiq and Redis are in test/integration/sidekiq_test.rb.
class Holdup::Servers::BacklogTest < Minitest::Test
  NOW_NS = 1_700_000_000_500_000_000
  Capsule = Data.define(:queues)

  # A Redis that has these answers, in the form of Sidekiq's configuration.
  class Config
    attr_reader :asked, :capsules

    def initialize(queues, answers)
      @capsules = {"default" => Capsule.new(queues)}
      @answers = answers
      @asked = []
    end

    def on(event, &block)
      @beat = block if event == :beat
    end

    def beat = @beat.call

    def redis = yield(self)

    def pipelined
      yield self
      @answers
    end

    def call(*words) = @asked << words
  end

  def backlog(*answers, queues: %w[high high low])
    @log = CollectedLog.new
    @config = Config.new(queues, answers)
    Holdup::Servers::Sidekiq::Backlog.new(@config, clock: HandClock.new(realtime_ns: NOW_NS))
      .follow(Holdup::Guard.new(log: @log, clock: HandClock.new)).tap { @config.beat }
  end

  def job(enqueued_at)
    JSON.generate({"class" => "A", "enqueued_at" => enqueued_at})
  end

  def test_length_and_age_of_each_queue_in_one_round_trip
    waiting = backlog(3, job(1_700_000_000_250), 4, job(1_700_000_000.0)).of(%w[high high low])
    assert_equal [7, 500_000_000], [waiting.size, waiting.oldest_ns]
    high = [%w[LLEN queue:high], ["LINDEX", "queue:high", -1]]
    low = [%w[LLEN queue:low], ["LINDEX", "queue:low", -1]]
    assert_equal high + low,
      @config.asked
  end

  def test_empty_queues_have_no_backlog
    assert_equal [0, 0], backlog(0, nil, 0, nil).of(%w[low]).to_h.values
  end

  def test_a_job_that_does_not_say_since_when
    assert_equal [2, nil], backlog(2, job(nil), queues: %w[low]).of(%w[low]).to_h.values
  end

  def test_is_unknown_before_the_first_look
    assert_nil backlog(0, nil, queues: %w[low]).of(%w[other])
  end

  def test_jobs_of_each_queue_in_the_order_that_was_asked_for
    waiting = backlog(3, job(1), 4, job(1))
    assert_equal [["low", 4], ["high", 3]], waiting.sizes(%w[low other high]).to_a
  end

  def test_few_queues_are_asked_about
    backlog(queues: (1..80).map(&:to_s))
    assert_equal 2 * Holdup::Servers::Sidekiq::Backlog::MOST, @config.asked.size
  end

  # Of one queue, with the same answers at each heartbeat.
  def mixed_backlog(size, next_job, next_jobs, newest = [], name: "low")
    @clock = HandClock.new(realtime_ns: NOW_NS)
    @config = Config.new([name], [size, next_job, next_jobs, newest])
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    Holdup::Servers::Sidekiq::Backlog.new(@config, clock: @clock).follow(guard)
  end

  def ranges = @config.asked.select { |command, *| command == "LRANGE" }

  def test_classes_of_the_next_and_the_newest_jobs_of_a_long_queue
    jobs = [{"class" => "Wrapper", "wrapped" => "Mail"}, {"class" => "Sync"}]
    mail, sync = jobs.map { |one| JSON.generate(one) }
    found = mixed_backlog(50, job(1), [mail, sync], [sync])
    2.times { @config.beat }
    assert_equal({"Mail" => 1, "Sync" => 2}, found.mix("low"))
    assert_equal [["LRANGE", "queue:low", -25, -1], ["LRANGE", "queue:low", 0, 24]], ranges
  end

  def test_classes_are_asked_for_once_a_minute
    mixed_backlog(50, job(1), [job(1)])
    13.times do
      @config.beat
      @clock.monotonic_ns += 10_000_000_000
    end
    assert_equal 2 * 2, ranges.size
  end

  def test_no_classes_of_a_queue_with_few_jobs
    found = mixed_backlog(49, job(1), [job(1)])
    3.times { @config.beat }
    assert_equal [{}, []], [found.mix("low"), ranges]
  end

  def test_no_classes_where_jobs_are_long_texts
    mixed_backlog(5_000, JSON.generate({"class" => "A", "args" => ["x" * 5_000]}), [])
    3.times { @config.beat }
    assert_empty ranges
  end

  def test_a_failure_is_logged_once
    assert_nil backlog(1, "no json", queues: %w[low]).of(%w[low])
    assert_equal 1, @log.lines.size
  end
end
