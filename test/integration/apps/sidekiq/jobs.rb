# frozen_string_literal: true

# What a Sidekiq process of the tests loads (-r ./jobs.rb). Its jobs tell Redis what they did.
require "holdup" unless ENV["WITHOUT_HOLDUP"]
require "sidekiq"
require_relative "classes"
require_relative "config/initializers/sidekiq"

unless ENV["WITHOUT_HOLDUP"]
  Holdup.start
  if ENV["ACTIVE_JOB"]
    require_relative "active_jobs"
    require "holdup/agent/instrumentation/active_job"
    Holdup::Instrumentation::ActiveJob.install(ActiveJob::Base, Holdup.jobs)
  end
end
