# frozen_string_literal: true

# What the Sidekiq of `predict-jobs` loads: the mix of the lab's own jobs
# (lib/holdup/features/lab/jobs/mix.rb), each of which takes the same time whatever the machine does
# meanwhile.
require "sidekiq"
require_relative "../exact"

# So many steps, each of them some CPU time, one question to Redis and a wait.
class ExactJob
  include Sidekiq::Job

  # @param steps [Integer]
  # @param micros [Integer] of CPU time in each step
  # @param wait_ms [Numeric] in each step
  def perform(steps, micros, wait_ms)
    steps.times do
      Bench::Exact.compute(micros)
      Sidekiq.redis { |redis| redis.call("GET", "holdup-bench") }
      Bench::Exact.wait(wait_ms)
    end
  end
end

# Waits most of its time.
class ExactMail < ExactJob; end

# Half and half.
class ExactSync < ExactJob; end

# Computes most of its time.
class ExactReport < ExactJob; end

Sidekiq.configure_server { |config| config.logger.level = Logger::WARN }
