# frozen_string_literal: true

# The lab's own Sidekiq loads this (sidekiq -r) when no application is given: three classes of jobs that
# compute, query Redis and wait (as for a remote service), in different shares.
require "sidekiq"
require_relative "../sidekiq_vcpu/work"

# Runs steps, each with rounds of computing (a tenth of a millisecond each), one Redis query and a wait.
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

# Waits and computes about equally.
class LabSync < LabJob; end

# Computes most of its time.
class LabReport < LabJob; end

# Sidekiq holds a lock to write two log lines for each job; at high concurrency threads would queue for it.
Sidekiq.configure_server { |config| config.logger.level = Logger::WARN }
