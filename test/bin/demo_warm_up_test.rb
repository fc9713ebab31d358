# frozen_string_literal: true

require "test_helper"
require_relative "../../bin/support/demo/warm_up"

# What bin/demo runs in each worker before the first customer comes.
class DemoWarmUpTest < Minitest::Test
  one_ruby

  # What the warm-up uses of a Rails application; test/integration/demo_test.rb has a real one.
  Route = Data.define(:verb, :path, :internal) do
    def required_parts = path.scan(/:(\w+)/).map { |(name)| name.to_sym }

    def format(values) = path.gsub(/:(\w+)/) { values.fetch($1.to_sym) }
  end

  # It counts what it serves.
  class Application
    attr_reader :served

    def initialize(*routes, body: ["ok"])
      @all = routes.map { |verb, path, internal| Route.new(verb:, path:, internal: internal || false) }
      @body = body
      @served = []
      @inside = false
    end

    def routes = Routes.new(@all, method(:serve))

    def executor = self

    def wrap
      @inside = true
      yield
    ensure
      @inside = false
    end

    private

    def serve(env)
      raise "outside of the executor" unless @inside
      @served << "#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]}"
      [200, {}, @body]
    end
  end

  Routes = Data.define(:routes, :app) do
    def call(env) = app.call(env)
  end

  # An answer that is streamed: it runs while it is read.
  Streamed = Struct.new(:read, :closed) do
    def each
      self.read = true
      yield "line"
    end

    def close
      self.closed = true
    end
  end

  def test_runs_each_route_twice_with_an_id
    application = Application.new(["GET", "/products"], ["POST", "/carts/:id"])
    paths = ["GET /products", "POST /carts/1"]
    assert_equal paths, Demo::WarmUp.new(application).call
    assert_equal paths * 2, application.served
  end

  def test_leaves_out_what_is_no_endpoint_of_the_application
    application = Application.new(["GET", "/rails/info", true], ["", "/mounted"], ["GET", "/products"])
    assert_equal ["GET /products"], Demo::WarmUp.new(application).call
  end

  def test_reads_and_closes_what_is_streamed
    body = Streamed.new(false, false)
    Demo::WarmUp.new(Application.new(["GET", "/feed"], body:)).call
    assert body.read
    assert body.closed
  end
end
