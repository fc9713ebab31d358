# frozen_string_literal: true

require_relative "boot"
require "rails/all"
Bundler.require(*Rails.groups)

module CommonGems
  class Application < Rails::Application
    config.load_defaults 8.1
    config.yjit = ENV.key?("RAILS_YJIT") # what is compiled runs too few times to pay for it
    config.eager_load = ENV["EAGER_LOAD"] == "1"
    config.logger = ActiveSupport::TaggedLogging.logger($stdout)
    config.secret_key_base = "x" * 64
    config.hosts.clear
    config.active_storage.variant_processor = :disabled
    config.active_job.queue_adapter = ENV.fetch("ADAPTER", "async").to_sym
    config.good_job.queues = "*:3"
    # They wait when the runner starts, so the first one comes before anything else has run.
    config.after_initialize do
      Integer(ENV.fetch("ENQUEUE", "0")).times { CountedJob.perform_later }
    end
  end
end
