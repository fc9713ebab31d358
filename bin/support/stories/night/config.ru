# frozen_string_literal: true

# The shop of the story of the worker that was killed at night.

require "action_controller/railtie"

# Two endpoints, without a database.
class NightShop < Rails::Application
  config.load_defaults 8.1
  config.root = __dir__
  config.eager_load = true
  # Ruby does not keep the line of a method that YJIT has compiled up to date, and the story shows one.
  config.yjit = false
  config.secret_key_base = "of a recording"
  config.logger = Logger.new(File::NULL)
end

NightShop.initialize!
NightShop.routes.draw do
  get "orders/:id" => "orders#show"
  get "exports/invoices" => "exports#invoices"
end

run NightShop
