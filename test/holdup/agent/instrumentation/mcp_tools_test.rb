# frozen_string_literal: true

require "test_helper"
require "json"
require "mcp"
require "holdup/agent/instrumentation/mcp_tools"

# With the gem mcp, in this process.
class Holdup::Instrumentation::McpToolsTest < Minitest::Test
  include MeasuredRequests

  def setup
    super
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    self.class.follow(Holdup::Instrumentation::McpTools.new(guard: @guard))
  end

  # The hook stays in this process, and serves the test that runs.
  class << self
    attr_reader :current

    def follow(tools)
      @current = tools
      @hooked ||= Holdup::Instrumentation::McpTools.new(guard: nil).tap do |first|
        test = self
        first.define_singleton_method(:calling) { |tool| test.current.calling(tool) }
        MCP.const_get(:Server)
        first.install
      end
    end
  end

  def server
    schema = {properties: {text: {type: "string"}}}
    MCP::Server.new(name: "shop").tap do |server|
      server.define_tool(name: "search_orders", input_schema: schema) do |text:|
        MCP::Tool::Response.new([{type: "text", text: "found #{text}"}])
      end
    end
  end

  def ask(tool)
    request = {jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: tool, arguments: {text: "a"}}}
    JSON.parse(server.handle_json(JSON.generate(request)))
  end

  # @return [Hash] the server's answer
  def request(tool)
    answer = nil
    app = ->(_) {
      answer = ask(tool)
      [200, {}, []]
    }
    middleware(app).call(env("/mcp"))[2].close
    answer
  end

  def test_a_request_has_the_name_of_its_tool
    assert_equal "found a", request("search_orders").dig("result", "content", 0, "text")
    assert_equal "MCP: search_orders", recorded.name
    assert_empty @guard.failures
  end

  def test_a_tool_that_the_server_does_not_have_names_nothing
    request("order_4711")
    assert_equal "GET /mcp", recorded.name
  end

  def test_outside_of_requests_nothing_is_named
    assert_equal "found a", ask("search_orders").dig("result", "content", 0, "text")
    assert_empty @guard.failures
  end
end
