# frozen_string_literal: true

require "test_helper"
require "contracts/server_steps"
require "puma/const"

# Rails with databases in a Puma cluster, from its start through a hot restart to its end.
class PumaStorefrontTest < Minitest::Test
  include ServerSteps
  include PumaRestarts
  include StorefrontApp

  def server_command
    %w[bundle exec puma -C config/puma.rb]
  end

  def server_app = StorefrontApp::APP

  def server_env
    {"STOREFRONT_WORKERS" => "2", "STOREFRONT_THREADS" => "3"}
  end

  def server_facts
    {"server" => "puma", "server_version" => Puma::Const::VERSION, "workers" => 2, "threads" => 3,
     "min_threads" => 3, "preload" => true}
  end

  def measured_path = "/products"

  def measured_name = "ProductsController#index"

  # A pool of connections is a pool too.
  def server_pools
    {"web" => 3, "db primary" => 4, "db warehouse" => 1}
  end

  def server_levers = {"threads" => 3, "processes" => 2}

  # A worker that hangs in its shutdown (ServedApp::Stuck) is killed by Puma after 30 s, and its segment stays
  # open.
  def hot(app)
    old = pids(app).values
    replaced(app) do
      app.signal(:USR2)
      app.wait_for_restart { app.processes.none? { |process| old.include?(process[:pid]) } }
    end
  end

  def test_a_life
    with_storefront do |env|
      serve(**env) do |app|
        ask(app)
        assert_identity(app)
        assert_equal "ENV[STOREFRONT_THREADS]", app.live.first.read(&:profile)["lever.threads.where"]
        restart(app, "a hot restart", method(:hot))
        assert_stop(app)
        assert_carried(app)
      end
    end
  end
end
