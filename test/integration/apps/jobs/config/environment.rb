# frozen_string_literal: true

# A small Rails application with jobs, a database and the adapter that ADAPTER names; no Gemfile of its own.
require_relative "../../bootsnap_setup"
require "rails"
require "active_record/railtie"
require "active_job/railtie"
require "action_controller/railtie"
library = {"delayed_job" => "delayed_job_active_record"}.fetch(ENV["ADAPTER"], ENV["ADAPTER"])
require library if %w[solid_queue good_job sidekiq resque delayed_job que sneakers].include?(ENV["ADAPTER"])
require "holdup" if ENV["WITH_HOLDUP"]

class Clinic < Rails::Application
  config.root = File.expand_path("..", __dir__)
  config.load_defaults 8.1
  config.api_only = true
  config.eager_load = false # half of what a boot costs
  config.yjit = ENV.key?("RAILS_YJIT") # what is compiled runs too few times to pay for it
  config.logger = Logger.new($stdout)
  config.log_level = ENV.fetch("LOG_LEVEL", "error")
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.active_job.queue_adapter = ENV.fetch("ADAPTER").to_sym
  config.good_job.queues = ENV.fetch("QUEUES", "mails,urgent:3;reports:2") if config.respond_to?(:good_job)
end

require_relative "../jobs"
require_relative "../runner_jobs"

class VisitsController < ActionController::API
  def create
    MailJob.perform_later
    head :accepted
  end

  def show
    params.fetch(:job, "MailJob").constantize.perform_now
    head :ok
  end
end

Resque.redis = ENV["REDIS_URL"] if ENV["ADAPTER"] == "resque"

if ENV["ADAPTER"] == "sneakers"
  Sneakers.configure(amqp: ENV["RABBITMQ_URL"], workers: 2, threads: 3, log: Logger.new(IO::NULL),
    pid_path: File::NULL, error_reporters: [->(*) {}])
end

Clinic.initialize!
Clinic.routes.draw do
  get "/up", to: ->(_env) { [200, {}, ["up"]] }
  get "/enqueue", to: "visits#create"
  get "/now", to: "visits#show"
end
