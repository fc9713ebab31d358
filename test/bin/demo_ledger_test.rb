# frozen_string_literal: true

require "test_helper"
require_relative "../../bin/support/demo/shop_ledger"

# The shop's own count, which bin/demo compares Holdup's figures with.
class DemoLedgerTest < Minitest::Test
  one_ruby

  include TemporaryFolder

  # As Rails' router leaves it; with String#camelize, which Active Support brings.
  Parameter = Struct.new(:name) do
    def camelize = name.capitalize

    def ==(other) = name == other
  end

  def shop(&answer)
    Storefront::Ledger.new(answer || ->(_) { [200, {}, []] }, folder)
  end

  def request(controller = "orders")
    {"action_dispatch.request.path_parameters" => {controller: Parameter.new(controller), action: "index"}}
  end

  def ledger = Demo::ShopLedger.new(folder)

  def count(count, errors) = Demo::ShopLedger::EndpointCount.new(count:, errors:)

  def test_counts_requests_and_errors_of_each_endpoint
    statuses = [200, 200, 404, 503]
    shop = shop { [statuses.shift, {}, []] }
    3.times { shop.call(request) }
    shop.call(request("carts"))
    counts = {"OrdersController#index" => count(3, 0), "CartsController#index" => count(1, 1)}
    assert_equal counts, ledger.endpoints
  end

  def test_counts_an_exception_as_an_error
    shop = shop { raise IOError, "gone" }
    assert_raises(IOError) { shop.call(request) }
    assert_equal({"OrdersController#index" => count(1, 1)}, ledger.endpoints)
    assert_equal 0, ledger.open
  end

  def test_does_not_count_what_holdup_ignores
    shop = shop()
    [request("rails/health"), {}].each { |env| shop.call(env) }
    assert_empty ledger.endpoints
  end

  def test_knows_what_came_since
    shop = shop()
    shop.call(request)
    before = ledger.endpoints
    assert_empty ledger.since(before)
    2.times { shop.call(request) }
    assert_equal({"OrdersController#index" => count(2, 0)}, ledger.since(before))
  end

  def test_adds_up_threads_and_killed_processes
    shop = shop()
    shop.call(request)
    pids = Array.new(2) do
      fork do
        Array.new(4) { Thread.new { 50.times { shop.call(request) } } }.each(&:join)
        Process.kill(:KILL, Process.pid)
      end
    end
    pids.each { |pid| Process.wait(pid) }
    assert_equal({"OrdersController#index" => count(401, 0)}, ledger.endpoints)
  end

  def test_waits_for_requests_that_have_not_ended
    gate = Queue.new
    begun = Queue.new
    shop = shop do |_|
      begun << true
      gate.pop
      [200, {}, []]
    end
    thread = Thread.new { shop.call(request) }
    begun.pop
    assert_equal 1, ledger.open
    assert_equal :late, ledger.when_idle(patience_s: 0.1) { :late }, "a killed process never ends a request"
    Thread.new { gate << true }
    assert_equal({"OrdersController#index" => count(1, 0)}, ledger.when_idle { ledger.endpoints })
    thread.join
  end
end
