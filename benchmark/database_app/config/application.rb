# frozen_string_literal: true

require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require "holdup"

module Tracker
  # "sidekiq" or "solid_queue" in processes that have jobs; nil in the others, which load neither.
  JOB_RUNNER = ENV["TRACKER_JOBS"]
end

if Tracker::JOB_RUNNER
  require "active_job/railtie"
  require Tracker::JOB_RUNNER
end

module Tracker
  # An issue tracker as many applications are: pages of 300 to 500 queries to PostgreSQL (N+1 queries, counts,
  # a few heavy ones) and views that render Active Record objects by the hundred.
  class Application < Rails::Application
    config.root = File.expand_path("..", __dir__)
    config.load_defaults 8.1
    config.enable_reloading = false
    config.eager_load = true
    config.consider_all_requests_local = false
    config.cache_store = :memory_store
    config.session_store :cookie_store, key: "_tracker"
    config.secret_key_base = "x" * 64
    config.time_zone = "UTC"
    config.hosts.clear
    config.logger = ActiveSupport::Logger.new(File::NULL)
    config.log_level = :warn
    config.active_support.report_deprecations = false
    config.active_record.dump_schema_after_migration = false
    if JOB_RUNNER
      config.paths.add("jobs", eager_load: true)
      config.active_job.queue_adapter = JOB_RUNNER.to_sym
    end
  end
end
