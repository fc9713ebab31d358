# frozen_string_literal: true

require "active_job"
require "sidekiq"
require "sidekiq/rails" unless defined?(ActiveJob::QueueAdapters::SidekiqAdapter)

ActiveJob::Base.queue_adapter = :sidekiq
ActiveJob::Base.logger = nil

class WelcomeJob < ActiveJob::Base
  include Telling

  queue_as :default

  def perform = report("welcome")
end

class MovedJob < ActiveJob::Base
  include Telling

  Moved = Class.new(StandardError)
  discard_on(Moved) { |job, _error| job.report("moved") }

  def perform = raise(Moved)
end

# Runs another one itself.
class DigestJob < ActiveJob::Base
  include Telling

  def perform
    WelcomeJob.perform_now
    report("digest")
  end
end
