# frozen_string_literal: true

require_relative "boot"
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"

# An application of your own has `gem "holdup"` in its Gemfile and `Bundler.require` loads it. Here the
# Gemfile is the repository's, which also names the profilers that the benchmarks compare with, so we load the
# one we mean.
require "holdup"
require_relative "../lib/storefront/ledger"
require_relative "../lib/storefront/settings"

module Storefront
  # A shop with one endpoint for each way in which a request spends its time; see README.md.
  class Application < Rails::Application
    config.load_defaults 8.1
    config.x.settings = Settings.from(ENV)
    config.secret_key_base = config.x.settings.secret_key_base
    config.time_zone = "UTC"
    config.logger = ActiveSupport::Logger.new(config.x.settings.log)
    config.log_level = :warn
    config.hosts.clear
    config.middleware.insert_before(0, Ledger, config.x.settings.ledger) if config.x.settings.ledger
  end
end
