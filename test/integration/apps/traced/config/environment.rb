# frozen_string_literal: true

# A small application whose requests are traced: each is a span of its own, kept in memory.
require "opentelemetry/sdk"
require_relative "../../bootsnap_setup"
require "rails"
require "action_controller/railtie"
require "holdup"

SPANS = OpenTelemetry::SDK::Trace::Export::InMemorySpanExporter.new
OpenTelemetry::SDK.configure do |config|
  config.add_span_processor(OpenTelemetry::SDK::Trace::Export::SimpleSpanProcessor.new(SPANS))
end

class Traced
  TRACER = OpenTelemetry.tracer_provider.tracer("test")

  def initialize(app)
    @app = app
  end

  def call(env)
    TRACER.in_span(env["PATH_INFO"], kind: :server) { @app.call(env) }
  end
end

class ReportsController < ActionController::API
  STOP = Queue.new

  # Computes until another request stops it. Its path has an id, its name has none.
  def show
    nil while STOP.empty?
    head :no_content
  end

  def index
    sleep 0.001
    head :no_content
  end

  def destroy
    STOP << true
    head :no_content
  end

  def spans
    render(json: SPANS.finished_spans.map { |span| [span.name, span.attributes] })
  end
end

class TracedShop < Rails::Application
  config.root = File.expand_path("..", __dir__)
  config.load_defaults 8.1
  config.yjit = ENV.key?("RAILS_YJIT") # what is compiled runs too few times to pay for it
  config.api_only = true
  config.eager_load = true
  config.logger = Logger.new(File::NULL)
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.middleware.use Traced
end

TracedShop.initialize!
TracedShop.routes.draw do
  get "/up", to: ->(_env) { [200, {}, ["up"]] }
  get "/spans", to: "reports#spans"
  resources :reports, only: %i[index show destroy]
end
