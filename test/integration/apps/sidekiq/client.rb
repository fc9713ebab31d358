# frozen_string_literal: true

# What a process loads that only puts jobs into queues.
require "sidekiq"
require_relative "classes"
require_relative "active_jobs" if ENV["ACTIVE_JOB"]
