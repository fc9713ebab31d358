# frozen_string_literal: true

# The experiment's Sidekiq processes load this (sidekiq -r): two classes of jobs with the same work, so that a
# report shows which stalled which.
require "sidekiq"
require_relative "work"

# The first job.
class JobA
  include Sidekiq::Job

  LONGEST_WAIT_S = 60

  # @param rounds [Integer] of Holdup::Lab::SidekiqVcpu::Work
  # @param name [String] prefix of the experiment's lists in Redis
  def perform(rounds, name)
    Sidekiq.redis { |redis| redis.call("LPUSH", "#{name}:begun", self.class.name) }
    Sidekiq.redis { |redis| redis.blocking_call(LONGEST_WAIT_S + 1, "BRPOP", "#{name}:go", LONGEST_WAIT_S) }
    Holdup::Lab::SidekiqVcpu::Work.run(rounds)
    Sidekiq.redis { |redis| redis.call("LPUSH", "#{name}:done", self.class.name) }
  end
end

# The second.
class JobB < JobA; end

# Replaces Sidekiq's scheduler and enqueues nothing: with --redis-url scheduled jobs may belong to an
# application.
class NothingScheduled
  def initialize(_config)
  end

  def enqueue_jobs = nil

  def terminate = nil
end

Sidekiq.configure_server do |config|
  config[:scheduled_enq] = NothingScheduled
  config[:timeout] = 0 # all jobs are done when it gets the signal to end
  config.on(:startup) {
    config.redis { |redis| redis.call("LPUSH", "#{ENV.fetch("LAB_NAME")}:ready", Process.pid.to_s) }
  }
end
