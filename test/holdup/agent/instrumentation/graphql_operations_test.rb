# frozen_string_literal: true

require "test_helper"
require "graphql"
require "holdup/agent/instrumentation/graphql_operations"

# With the gem graphql, in this process.
class Holdup::Instrumentation::GraphqlOperationsTest < Minitest::Test
  include MeasuredRequests

  # A module of the application's own, as tracers have one.
  module OwnTrace
    def execute_query(query:)
      query.context[:seen] << query.operation_name
      super
    end
  end

  class Query < GraphQL::Schema::Object
    field :orders, Integer, null: false

    def orders = 7
  end

  class Schema < GraphQL::Schema
    query Query
    trace_with OwnTrace
  end

  def setup
    super
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    @operations = Holdup::Instrumentation::GraphqlOperations.new(guard: @guard)
    self.class.follow(@operations)
  end

  # The hook stays in this process, and serves the test that runs.
  class << self
    attr_reader :current

    def follow(operations)
      @current = operations
      @hooked ||= Holdup::Instrumentation::GraphqlOperations.new(guard: nil).tap do |first|
        test = self
        first.define_singleton_method(:executing) { |query| test.current.executing(query) }
        GraphQL::Tracing.const_get(:Trace) # as at an application's first query
        first.install
      end
    end
  end

  def ask(text, **options)
    answer = nil
    app = ->(_) {
      answer = Schema.execute(text, context: {seen: @seen = []}, **options).to_h
      [200, {}, []]
    }
    middleware(app).call(env("/graphql"))[2].close
    answer
  end

  def name_of(...)
    ask(...)
    recorded.name
  end

  def test_a_request_has_the_name_of_its_operation
    assert_equal({"data" => {"orders" => 7}}, ask("query Orders { orders }"))
    assert_equal "GraphQL: Orders", recorded.name
    assert_equal ["Orders"], [@seen].flatten.compact, "the application's own trace runs, too"
  end

  def test_the_chosen_operation_counts
    text = "query Orders { orders } query Later { orders }"
    assert_equal "GraphQL: Later", name_of(text, operation_name: "Later")
  end

  def test_without_a_name_the_request_keeps_its_own
    assert_equal "GET /graphql", name_of("{ orders }")
  end

  def test_what_is_not_executed_names_nothing
    assert_equal "GET /graphql", name_of("query Broken { nothing }")
    assert_equal "GET /graphql", name_of("query Broken {")
  end

  def test_the_first_of_several_operations_counts
    app = ->(_) {
      texts = ["query First { orders }", "query Second { orders }"]
      Schema.multiplex(texts.map { |query| {query:, context: {seen: []}} })
      [200, {}, []]
    }
    middleware(app).call(env("/graphql"))[2].close
    assert_equal "GraphQL: First", recorded.name
  end

  def test_names_that_may_have_ids_are_one
    assert_equal "GraphQL: (others)", name_of("query Order4711 { orders }")
    assert_equal "GraphQL: OrdersV2", name_of("query OrdersV2 { orders }")
  end

  def test_clients_can_not_make_names_without_end
    most = Holdup::Instrumentation::GraphqlOperations::MOST
    names = Array.new(most) { |index| "Q#{index.divmod(26).map { |digit| ("a".ord + digit).chr }.join}" }
    names.each { |name| assert_equal "GraphQL: #{name}", name_of("query #{name} { orders }") }
    assert_equal "GraphQL: (others)", name_of("query OneMore { orders }")
    assert_equal "GraphQL: #{names.first}", name_of("query #{names.first} { orders }")
  end

  def test_knows_which_methods_take_a_query
    other = Class.new { def execute_query(query, context) = [query, context] }
    refute @operations.send(:takes_query?, other.instance_method(:execute_query))
    anything = Class.new { def execute_query(*, **) = nil }
    assert @operations.send(:takes_query?, anything.instance_method(:execute_query))
  end

  def test_outside_of_requests_nothing_is_named
    assert_equal({"data" => {"orders" => 7}}, Schema.execute("query A { orders }", context: {seen: []}).to_h)
    assert_empty @guard.failures
  end
end
