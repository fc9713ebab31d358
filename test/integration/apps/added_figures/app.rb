# frozen_string_literal: true

# One Rails application with all of `config.add_figures_to`, as far as its bundle has their gems: it answers a
# request and runs a job of Sidekiq without a server, and prints what each line says as JSON.
require "json"
require "logger"
require "stringio"
require "rails"
require "action_controller/railtie"
require "rack/mock"

# @return [Boolean] whether the bundle has that file
def optional(file)
  require file
  true
rescue LoadError
  false
end

HAS_LOGRAGE = optional("lograge")
HAS_SIDEKIQ = optional("sidekiq")
HAS_MINI_PROFILER = optional("rack-mini-profiler")
HAS_SEMANTIC_LOGGER = optional("semantic_logger") &&
  optional("rails_semantic_logger/action_controller/log_subscriber")
require "holdup"

LOGS = %i[rails_log lograge semantic sidekiq].to_h { |name| [name, StringIO.new] }

class LinesApp < Rails::Application
  config.root = ENV.fetch("APP_ROOT")
  config.load_defaults Rails::VERSION::STRING.to_f
  config.eager_load = false
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.logger = Logger.new(LOGS[:rails_log])
  config.holdup.add_figures_to = %i[rails_log lograge semantic_logger mini_profiler sidekiq_log
    notifications rails_event]
  config.holdup.ignore_paths = ["/mini-profiler-resources/*"]
  config.holdup.on_finish = ->(figures) { FINISHED << figures.name }
  if HAS_LOGRAGE
    config.lograge.enabled = config.lograge.keep_original_rails_log = true
    config.lograge.logger = Logger.new(LOGS[:lograge], formatter: ->(_, _, _, text) { "#{text}\n" })
    config.lograge.custom_options = ->(event) { {host: event.payload[:headers]["HTTP_HOST"]} }
  end
  Rack::MiniProfiler.config.storage_failure = ->(error) { abort(error.full_message) } if HAS_MINI_PROFILER
  routes.append { get "/orders", to: "orders#index" }
end

FINISHED = []
EVENTS = []
PAYLOADS = []

class OrdersController < ActionController::Base
  def index
    IO.pipe { |reader, writer| Thread.new { writer << "x" } && reader.read(1) }
    render(plain: "orders")
  end
end

class PlainJob
  include Sidekiq::Job if HAS_SIDEKIQ

  def perform = 1
end

# Rails 8.1 gives events to such.
class EventSubscriber
  def emit(event) = EVENTS << event.slice(:name, :payload)
end

# A line of its own, as rails_semantic_logger's engine would make it.
def log_semantically
  SemanticLogger.add_appender(io: LOGS[:semantic], formatter: :json)
  OrdersController.logger = SemanticLogger["OrdersController"]
  RailsSemanticLogger::ActionController::LogSubscriber.attach_to(:action_controller)
end

# Sidekiq's own processor, with a job that comes from no Redis.
def run_job
  require "sidekiq/processor"
  config = Sidekiq::Config.new
  config.logger = Sidekiq::Logger.new(LOGS[:sidekiq], formatter: Sidekiq::Logger::Formatters::Plain.new)
  runs = Holdup::Instrumentation::SidekiqRuns.new(Holdup.jobs, [])
  config.server_middleware { |chain| chain.prepend Holdup::Instrumentation::Sidekiq, runs }
  job = {"class" => "PlainJob", "args" => [], "jid" => "1234", "queue" => "low", "retry" => false}
  work = Struct.new(:job, :queue_name) { def acknowledge = nil }
  Sidekiq::Processor.new(config.default_capsule) { nil }.send(:process, work.new(JSON.generate(job), "low"))
end

Rails.application.initialize!
log_semantically if HAS_SEMANTIC_LOGGER
Rails.event.subscribe(EventSubscriber.new) if Rails.respond_to?(:event)
ActiveSupport::Notifications.subscribe("finish.holdup") { |*, payload| EVENTS << payload[:figures].to_h }
ActiveSupport::Notifications.subscribe("process_action.action_controller") { |*, payload|
  PAYLOADS << payload[:holdup]
}
BROWSER = {"HTTP_HOST" => "shop.example", "REMOTE_ADDR" => "127.0.0.1"}.freeze
answer = Rack::MockRequest.new(Rails.application).get("/orders", BROWSER)
profiled = nil
if HAS_MINI_PROFILER
  id = answer["x-miniprofiler-ids"].split(",").last
  asked = {**BROWSER, "HTTP_X_REQUESTED_WITH" => "XMLHttpRequest", :params => {id: id}}
  page = Rack::MockRequest.new(Rails.application).post("/mini-profiler-resources/results", asked)
  profiled = JSON.parse(page.body)
end
if HAS_SIDEKIQ
  require "holdup/agent/instrumentation/sidekiq"
  run_job
end
SemanticLogger.flush if HAS_SEMANTIC_LOGGER
unhooked = Holdup.runtime.guard.unhooked
failures = Holdup.runtime.guard.failures
$stdout.puts JSON.generate({
  rails: Rails.version, status: answer.status, server_timing: answer["server-timing"], payloads: PAYLOADS,
  profiled:, finished: FINISHED, events: EVENTS, unhooked:, failures:, **LOGS.transform_values(&:string)
})
