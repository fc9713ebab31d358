# frozen_string_literal: true

require_relative "../../../bootsnap_setup"
require "rails"
require "active_job/railtie"
require "sidekiq"
require "holdup" unless ENV["WITHOUT_HOLDUP"]

module Mails
  class Application < Rails::Application
    config.load_defaults 8.0
    config.yjit = ENV.key?("RAILS_YJIT") # what is compiled runs too few times to pay for it
    config.eager_load = false
    config.secret_key_base = "test"
    config.logger = Logger.new(File::NULL)
    config.active_job.queue_adapter = :sidekiq
  end
end
