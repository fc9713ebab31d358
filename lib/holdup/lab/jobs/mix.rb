# frozen_string_literal: true

# What the lab's own Sidekiq loads (sidekiq -r) when no application is given: three classes of jobs that
# compute, ask Redis and wait (as for a remote service), in different shares.
require "sidekiq"
require_relative "../sidekiq_vcpu/work"

# So many steps, each of them some rounds of computing (a tenth of a millisecond each), one question to Redis
# and a wait.
class LabJob
  include Sidekiq::Job

  # @param rounds [Integer] in each step
  # @param wait_ms [Numeric] in each step
  def perform(steps, rounds, wait_ms)
    steps.times do
      Holdup::Lab::SidekiqVcpu::Work.run(rounds)
      Sidekiq.redis { |redis| redis.call("GET", "holdup-lab") }
      sleep(wait_ms / 1000.0)
    end
  end
end

# Waits most of its time.
class LabMail < LabJob; end

# Half and half.
class LabSync < LabJob; end

# Computes most of its time.
class LabReport < LabJob; end

# Two lines of log for each job are written with a lock held: at high concurrency threads queue for that
# instead.
Sidekiq.configure_server { |config| config.logger.level = Logger::WARN }
