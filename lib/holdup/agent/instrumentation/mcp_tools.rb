# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../recorder"
require_relative "request_units"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Names a request after the tool that it calls on a server of the gem mcp ("MCP: search_orders"), because
    # all of them have the same path. A server knows its tools, so no client can make names.
    class McpTools
      include Runtime::Resource

      # @param guard [Guard]
      def initialize(guard:)
        @guard = guard
        @names = {}
      end

      def install
        @hooked ||= hook if loaded?
      end

      # @param tool [Class, MCP::Tool] that is about to be called
      # @return [void]
      def calling(tool)
        @guard.call(:name) do
          unit = Recorder::OpenUnit.current
          next unless unit.is_a?(RequestUnit)
          name = tool.name_value
          unit.asked_for(@names[name] ||= "MCP: #{name}".freeze)
        end
      end

      private

      # Asking for an autoloaded constant loads it, which is not ours to do.
      def loaded? = !::MCP.autoload?(:Server) && ::MCP.const_defined?(:Server, false)

      # The server calls a tool here, whatever its transport is.
      def hook
        Hooks::MethodHook.new(::MCP::Server, :call_tool_with_args, by: :name,
          constants: {HoldupTools: self}) { |method|
          "HoldupTools.calling(#{method.positional(0)})\n#{method.call}"
        }.install(@guard)
        true
      end
    end
  end
end
