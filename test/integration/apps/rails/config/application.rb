# frozen_string_literal: true

# The smallest real application: API only, no database, no Gemfile of its own.
require_relative "../../bootsnap_setup"
require "rails"
require "action_controller/railtie"
require "holdup" if ENV["WITH_HOLDUP"]
# As gems do that define commands (mission_control-jobs when it is eager-loaded).
if ENV["WITH_COMMANDS"]
  %w[command command/base commands/console/console_command].each { |file| require "rails/#{file}" }
end

class Shop < Rails::Application
  config.root = File.expand_path("..", __dir__)
  config.load_defaults Rails::VERSION::STRING.to_f
  config.yjit = ENV.key?("RAILS_YJIT") # what is compiled runs too few times to pay for it
  config.api_only = true
  config.eager_load = ENV.key?("EAGER_LOAD") # which is half of what a boot costs
  config.logger = Logger.new(ENV["LOGGED"] ? $stdout : File::NULL)
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.holdup.series_limit = 50 if config.respond_to?(:holdup)
end
