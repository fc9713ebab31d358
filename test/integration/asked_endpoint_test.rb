# frozen_string_literal: true

require "test_helper"
require "json"

# Requests that another application answers, in the place of the endpoint that was asked for and with the same
# Rack environment: they have the name of that endpoint.
class AskedEndpointTest < Minitest::Test
  include TemporaryFolder

  # Prints the names of what was measured, in order.
  ENDING = <<~RUBY
    names = []
    watcher = Object.new
    watcher.define_singleton_method(:opened) { |unit| nil }
    watcher.define_singleton_method(:closing) { |unit| nil }
    watcher.define_singleton_method(:closed) { |unit, *| names << unit.name }
    Holdup.recorder.watcher = watcher
    Holdup.start
    browser = Rack::MockRequest.new(Rack::Lint.new(APP))
    answers = ASKED.map do |method, path, options|
      response = browser.request(method, path, options.to_h.transform_keys(&:to_s))
      response.status
    end
    puts JSON.generate(names:, answers:)
    Holdup.stop
  RUBY

  RAILS = <<~RUBY
    require "rails"
    require "action_controller/railtie"
    require "active_record/railtie"
    require "devise"
    require "devise/orm/active_record"
    require "holdup"

    class Site < Rails::Application
      config.load_defaults 8.1
      config.eager_load = false
      config.secret_key_base = "x" * 64
      config.logger = Logger.new(File::NULL)
      config.hosts.clear
      config.consider_all_requests_local = false
      config.action_dispatch.show_exceptions = :all
      config.exceptions_app = ->(env) { ErrorsController.action(:show).call(env) }
    end
    ENV["DATABASE_URL"] = "sqlite3::memory:"
    Devise.setup { |config| config.secret_key = "x" * 64 }
    Site.initialize!
    ActiveRecord::Schema.verbose = false
    ActiveRecord::Schema.define do
      create_table(:users) { |table| table.string :email; table.string :encrypted_password }
    end

    class User < ActiveRecord::Base
      devise :database_authenticatable
    end

    class ApplicationController < ActionController::Base
      rescue_from(ZeroDivisionError) do
        self.response_body = ErrorsController.action(:show).call(request.env).last
      end
    end

    class OrdersController < ApplicationController
      before_action :authenticate_user!, only: :index
      def index = head(:ok)
      def show = raise(IndexError)
      def divide = 1 / 0
      def open = head(:ok)
    end

    class ErrorsController < ActionController::Base
      def show = render(plain: "error", status: request.path_info.delete_prefix("/").to_i.nonzero? || 500)
    end

    Site.routes.draw do
      devise_for :users
      get "orders" => "orders#index"
      get "orders/show" => "orders#show"
      get "orders/divide" => "orders#divide"
      get "orders/open" => "orders#open"
      authenticate(:user) { get "admin/reports/:id" => "orders#open" }
    end
    APP = Site
  RUBY

  SINATRA = <<~RUBY
    require "sinatra/base"
    require "warden"
    require "holdup"

    class Failing < Sinatra::Base
      set :host_authorization, {}
      get("/unauthenticated") { halt 401, "no" }
    end

    class Shop < Sinatra::Base
      set :host_authorization, {}
      set :show_exceptions, false
      get("/orders/:id") { env["warden"].authenticate!; "order" }
      get("/open") { "open" }
    end

    APP = Rack::Builder.app do
      use Holdup::Instrumentation::Rack, Holdup.requests
      use Rack::Config do |env|
        env["rack.session"] = {}
        env["rack.session"].define_singleton_method(:enabled?) { true }
        env["rack.session"].define_singleton_method(:loaded?) { true }
      end
      use Warden::Manager do |config|
        config.failure_app = Failing
        config.default_strategies :never
      end
      run Shop
    end
    Warden::Strategies.add(:never) { define_method(:authenticate!) { fail!("no") } }
  RUBY

  CASCADE = <<~RUBY
    require "rails"
    require "action_controller/railtie"
    require "holdup"
    class Site < Rails::Application
      config.load_defaults 8.1
      config.eager_load = false
      config.secret_key_base = "x" * 64
      config.logger = Logger.new(File::NULL)
      config.hosts.clear
    end
    Site.initialize!
    class PagesController < ActionController::Base
      def show = head(:not_found)
    end
    class LegacyController < ActionController::Base
      def show = head(:ok)
    end
    both = Rack::Cascade.new([PagesController.action(:show), LegacyController.action(:show)])
    Site.routes.draw { mount both => "/pages" }
    APP = Site
  RUBY

  # @return [Hash] names of the units, statuses of the answers
  def asked(application, requests)
    file = File.join(folder, "application.rb")
    File.write(file, <<~RUBY)
      require "bundler/setup"
      require "json"
      require "rack/mock"
      require "rack/lint"
      #{application}
      ASKED = #{requests.inspect}
      #{ENDING}
    RUBY
    env = {"HOLDUP_DIR" => File.join(folder, "segments"), "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off",
           "HOLDUP_ENABLED" => "true", "RAILS_ENV" => "production"}
    said = IO.popen([env, RbConfig.ruby, "-I#{ServedApp::ROOT}/lib", file], &:read)
    JSON.parse(said.lines.last.to_s)
  end

  def test_what_devise_refuses
    as_json = {HTTP_ACCEPT: "application/json"}
    result = asked(RAILS, [["GET", "/orders"], ["GET", "/orders/open"], ["GET", "/orders", as_json],
      ["GET", "/admin/reports/17?secret=1"]])
    assert_equal ["OrdersController#index", "OrdersController#open", "OrdersController#index",
      "GET /admin/reports/:id"], result["names"]
    assert_equal [302, 200, 401, 302], result["answers"]
  end

  def test_errors_that_another_controller_shows
    result = asked(RAILS, [["GET", "/orders/show"], ["GET", "/orders/divide"], ["GET", "/wp-login.php"]])
    assert_equal ["OrdersController#show", "OrdersController#divide", "GET (not found)"], result["names"]
  end

  def test_what_warden_refuses_in_sinatra
    result = asked(SINATRA, [["GET", "/orders/17"], ["GET", "/open"]])
    assert_equal [["GET /orders/:id", "GET /open"], [401, 200]], result.values_at("names", "answers")
  end

  def test_an_application_that_passes_a_request_on_was_not_asked_for
    result = asked(CASCADE, [["GET", "/pages/5"]])
    assert_equal [["LegacyController#show"], [200]], result.values_at("names", "answers")
  end
end
