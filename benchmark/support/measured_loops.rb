# frozen_string_literal: true

require "tools"

module Bench
  # The loops that are timed and counted: units, or requests through a tool's middleware with an environment
  # as a server makes it.
  class MeasuredLoops
    ENVIRONMENT = {
      "REQUEST_METHOD" => "GET",
      "PATH_INFO" => "/orders/7",
      "SCRIPT_NAME" => "",
      "QUERY_STRING" => "",
      "SERVER_NAME" => "127.0.0.1",
      "SERVER_PORT" => "9292",
      "SERVER_PROTOCOL" => "HTTP/1.1",
      "rack.url_scheme" => "http"
    }.freeze
    FINISHED = "rack.response_finished"

    # @param tool [Tools::None] started
    def initialize(tool)
      @tool = tool
      @stack = tool.around(Tools::APPLICATION)
    end

    # @return [void]
    def units(count)
      index = 0
      while index < count
        @tool.unit
        index += 1
      end
    end

    # @return [void]
    def requests(count)
      index = 0
      while index < count
        request(@stack, {**ENVIRONMENT, FINISHED => []})
        index += 1
      end
    end

    # What a Rack 3 server does with one request.
    # @return [void]
    def request(stack, env)
      status, headers, body = stack.call(env)
      body.each { |_chunk| nil }
      body.close if body.respond_to?(:close)
      env[FINISHED].reverse_each { |callback| callback.call(env, status, headers, nil) }
    end
  end
end
