# frozen_string_literal: true

# Six threads that share two connections: one action keeps its connection while it sleeps, the other only asks
# for a moment. The database is in HOLDUP_DIR's neighbourhood, so that it goes with the test's folder.
require_relative "../../bootsnap_setup"
require "rails"
require "action_controller/railtie"
require "active_record/railtie"
require "holdup" if ENV["WITH_HOLDUP"]

class Library < Rails::Application
  config.root = File.expand_path("..", __dir__)
  config.load_defaults 8.1
  config.yjit = ENV.key?("RAILS_YJIT") # what is compiled runs too few times to pay for it
  config.api_only = true
  config.eager_load = false # half of what a boot costs
  config.logger = Logger.new(File::NULL)
  config.secret_key_base = "x" * 64
  config.hosts.clear
end

ENV["DATABASE_URL"] =
  "sqlite3:#{ENV.fetch("HOLDUP_DIR")}-database.sqlite3?pool=2&checkout_timeout=#{ENV.fetch("CHECKOUT_TIMEOUT",
    "20")}"

class ReportsController < ActionController::API
  def show
    ActiveRecord::Base.lease_connection.select_value("SELECT 1")
    sleep Float(ENV.fetch("REPORT_SECONDS", 0.1))
    head :no_content
  end
end

class BooksController < ActionController::API
  def index
    render(json: ActiveRecord::Base.with_connection { |connection| connection.select_value("SELECT 42") })
  end
end

Library.initialize!
Library.routes.draw do
  get "/up", to: ->(_env) { [200, {}, ["up"]] }
  get "/reports", to: "reports#show"
  get "/books", to: "books#index"
end
