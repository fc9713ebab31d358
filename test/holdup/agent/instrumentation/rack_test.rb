# frozen_string_literal: true

require "test_helper"
require "rack/lint"
require "rack/mock_request"

class Holdup::Instrumentation::RackTest < Minitest::Test
  include MeasuredRequests

  def test_a_unit_from_the_first_line_to_the_closed_body
    response = middleware { ok }.call(given = env)
    assert_empty @probe.recorded
    response[2].close
    assert_equal [1, 1, "GET /orders", nil, nil, false, nil, nil, nil, nil, given], recorded.to_h.values
  end

  def test_an_answer_that_is_no_rack_response_goes_on_as_it_is
    strict = Class.new(Array) { def [](_) = raise("no") }
    [nil, [], [200, {}], strict.new(ok), "text"].each do |answer|
      assert_same answer, middleware { answer }.call(env)
    end
    assert_equal 5, @probe.recorded.size
  end

  def test_a_response_keeps_its_class_and_further_parts
    response_class = Class.new(Array)
    answer = response_class.new([200, {}, ["hi"], :more]).freeze
    response = middleware { answer }.call(env)
    assert_instance_of response_class, response
    assert_equal :more, response[3]
    assert_empty @probe.recorded
    response[2].close
    assert_equal 1, @probe.recorded.size
  end

  def test_a_status_that_can_not_be_read_does_not_reach_the_application
    unreadable = Object.new
    def unreadable.to_s = raise("no")
    [unreadable, BasicObject.new].each do |status|
      response = middleware { [status, {}, []] }.call(env)
      assert response[0].__id__ == status.__id__
      response[2].close
    end
    assert_equal 2, @probe.recorded.size
  end

  # As it was asked for, whatever routers and mounted applications make of it; and nothing that can't be asked
  # again.
  def test_paths_are_kept_where_that_is_wanted
    setup(example_paths: true)
    rerouted = middleware do |env|
      [200, {}, env.merge!("PATH_INFO" => "/1", "SCRIPT_NAME" => "/shop/orders") && []]
    end
    rerouted.call(env("/orders/1", "SCRIPT_NAME" => "/shop", "QUERY_STRING" => "token=1"))[2].close
    {404 => "GET", 503 => "GET", 302 => "POST"}.each do |status, verb|
      middleware { [status, {}, []] }.call(env("REQUEST_METHOD" => verb))[2].close
    end
    assert_equal ["/shop/orders/1", nil, nil, nil], @probe.recorded.map(&:path)
  end

  def test_its_name_while_it_goes_on
    unit = Holdup::Recorder::OpenUnit
    names = []
    response = middleware do |env|
      names << unit.current.name_so_far
      env["sinatra.route"] = "GET /orders/:id"
      names << unit.current.name_so_far
      ok
    end.call(env)
    open = unit.current
    response[2].close
    assert_equal ["GET (no route yet)", *["GET /orders/:id"] * 2], [*names, open.name_so_far]
  end

  def test_what_asks_not_to_be_measured
    middleware { |env| [200, {}, env.store("holdup.unmeasured", true) && []] }.call(env)[2].close
    assert_empty @probe.recorded
    assert_nil Holdup::Recorder::OpenUnit.current
  end

  def test_a_server_with_callbacks_gets_the_applications_own_response
    own = ok
    %w[rack.after_reply rack.response_finished].each do |key|
      list = []
      assert_same own, middleware { own }.call(env("/", key => list))
      list.each { |finished| (key == "rack.after_reply") ? finished.call : finished.call({}, 200, {}, nil) }
    end
    assert_equal [false, false], @probe.recorded.map(&:error)
  end

  def test_leaves_a_callback_list_that_can_not_grow_alone
    response = middleware { ok }.call(env("/", "rack.after_reply" => [].freeze,
      "rack.response_finished" => nil))
    assert_kind_of Holdup::Instrumentation::RackBody, response[2]
    response[2].close
    assert_equal 1, @probe.recorded.size
  end

  def test_an_exception_is_an_error_and_the_very_same_goes_on
    error = Class.new(Exception).new("theirs") # rubocop:disable Lint/InheritException
    list = []
    raised = assert_raises(error.class) {
      middleware { raise error }.call(env("/", "rack.after_reply" => list))
    }
    assert_same error, raised
    list.each(&:call)
    assert_equal [true], @probe.recorded.map(&:error)
  end

  def test_a_throw_is_not_an_error
    assert_equal(1, catch(:async) { middleware { throw :async, 1 }.call(env) })
    refute recorded.error
  end

  def test_server_errors_count_as_errors_and_others_do_not
    {200 => false, 302 => false, 404 => false, 499 => false, 500 => true, 503 => true,
     "500" => true}.each do |status, error|
      middleware { [status, {}, []] }.call(env)[2].close
      assert_equal error, recorded.error, status.to_s
    end
  end

  def test_full_hijack_ends_at_the_return
    middleware { |e| (e["rack.hijack_io"] = Object.new) && ok }.call(env)
    assert_equal 1, @probe.recorded.size
  end

  def test_an_asynchronous_answer_ends_at_the_return
    assert_equal([-1, {}, []], middleware { [-1, {}, []] }.call(env))
    assert_equal 1, @probe.recorded.size
  end

  def test_partial_hijack_ends_at_the_return
    headers = {"rack.hijack" => ->(_io) {}}
    list = []
    assert_same headers, middleware { [200, headers, []] }.call(env("/", "rack.after_reply" => list))[1]
    list.each(&:call)
    assert_equal 1, @probe.recorded.size
  end

  def test_a_second_middleware_in_the_same_request_does_nothing
    inner = middleware { ok }
    Holdup::Instrumentation::Rack.new(inner, @requests).call(env)[2].close
    assert_equal 1, @probe.recorded.size
  end

  def test_a_request_inside_a_request_is_nested
    inner = middleware { ok }
    middleware { inner.call(env("/inner"))[2].close || ok }.call(env("/outer"))[2].close
    assert_equal ["GET /inner", "GET /outer"], @probe.recorded.map(&:name)
    assert_equal ["web", nil], @probe.entered, "only the outer one takes a thread of the server's"
    assert_equal [nil], @probe.recorded.map(&:pool).uniq
  end

  def test_off_the_response_is_the_applications_own
    @probe.disable
    own = ok
    assert_same own, middleware { own }.call(env)
  end

  def test_the_application_names_its_unit_also_while_streaming
    middleware { Holdup::Recorder::OpenUnit.current.name = "Orders" and ok }.call(env)[2].close
    body = Enumerator.new { |out| (Holdup::Recorder::OpenUnit.current.name = "Stream") && out << "x" }
    stream = middleware { ok(body) }.call(env)[2]
    stream.each { nil }
    stream.close
    assert_equal %w[Orders Stream], @probe.recorded.map(&:name)
  end

  Orders = Struct.new(:action_name)

  # C knows names by addresses, which other classes and texts get after a collection.
  def test_actions_keep_their_names_when_garbage_is_collected
    app = middleware { ok([]) }
    expected = Array.new(30) do |number|
      GC.start if (number % 10).zero?
      GC.compact if number == 15
      orders = Class.new(Orders).set_temporary_name("orders #{number}")
      action = -"show_#{number}"
      3.times { app.call(env("action_controller.instance" => orders.new(action)))[2].close }
      ["orders #{number}##{action}"] * 3
    end
    assert_equal expected.flatten, @probe.recorded.map(&:name)
  end

  def test_an_action_whose_text_changes_has_the_name_of_now
    action = +"index"
    app = middleware { ok([]) }
    %w[index index shown shown].each do |text|
      action.replace(text)
      app.call(env("action_controller.instance" => Orders.new(action)))[2].close
    end
    assert_equal ["index", "index", "shown", "shown"], @probe.recorded.map { |unit| unit.name[/\w+\z/] }
  end

  def test_what_was_asked_for_is_the_name_also_of_a_known_action
    app = middleware do |given|
      @requests.names.keep_asked(given) if given["fails"]
      given["action_controller.instance"] = Orders.new("show")
      ok([])
    end
    2.times { app.call(env)[2].close }
    app.call(env("/session", "fails" => true))[2].close
    app.call(env)[2].close
    shown = "#{Orders.name}#show"
    assert_equal [shown, shown, "GET /session", shown], @probe.recorded.map(&:name)
  end

  def test_passes_an_invalid_response_to_the_server
    assert_nil middleware { nil }.call(env)
    assert_equal 1, @probe.recorded.size
    assert_nil Holdup::Recorder::OpenUnit.current
  end

  def test_our_failures_never_reach_the_request
    def @probe.record(*) = raise("ours")
    assert_equal 200, middleware { ok }.call(env).tap { |response| response[2].close }[0]
    def @probe.enter(*) = raise("ours")
    assert_equal ok, middleware { ok }.call(env)
    assert_operator @log.lines.size, :>=, 1
  end

  def test_keeps_the_rack_contract
    app = Rack::Lint.new(middleware(Rack::Lint.new(->(_env) {
      [200, {"content-type" => "text/plain"},
        ["hi"]]
    })))
    assert_equal "hi", Rack::MockRequest.new(app).get("/orders").body
    assert_equal 1, @probe.recorded.size
  end

  def test_costs_few_objects
    app = middleware { |e| e["response"] }
    list = []
    request = env("/", "rack.after_reply" => list, "HTTP_X_REQUEST_START" => "1700000000400",
      "sinatra.route" => "GET /", "response" => ok)
    serve = lambda do
      app.call(request)
      list.first.call
      list.clear
    end
    def @probe.record(*) = nil
    10.times { serve.call }
    before = GC.stat(:total_allocated_objects)
    100.times { serve.call }
    # The double's splat allocates two of them.
    assert_operator GC.stat(:total_allocated_objects) - before, :<=, 700
  end
end
