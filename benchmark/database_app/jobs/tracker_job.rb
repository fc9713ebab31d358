# frozen_string_literal: true

# The same jobs run on Sidekiq, as its own, and on Solid Queue, as Active Job's.
if Tracker::JOB_RUNNER == "sidekiq"
  class TrackerJob
    include Sidekiq::Job
  end
else
  class TrackerJob < ActiveJob::Base
  end
end
