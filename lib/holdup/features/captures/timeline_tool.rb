# frozen_string_literal: true

require "json"

module Holdup
  module Captures
    # The tool `timeline`: the kept captures, one of them, or the story of a request or job.
    class TimelineTool
      ARGUMENTS = {
        capture: {type: "string", description: "id of a kept capture"},
        unit: {type: "string", description: "id of a request or job in it, slowest or caught"},
        periods: {type: "boolean", description: "also each period of each thread, and stacks: large"}
      }.freeze

      # @param tools [Mcp::Command::McpTools]
      # @param arguments [Hash{Symbol => Object}] of ARGUMENTS
      # @return [Mcp::Command::McpTools::ToolAnswer]
      def self.call(tools, tool, **arguments)
        new(tools, tool).call(**arguments)
      rescue UsageError => error # there is no folder for captures
        tools.failed(error.message)
      end

      def initialize(tools, tool)
        @tools = tools
        @command = tool.command
      end

      # Only kept captures: a path would open any file of this user.
      def call(capture: nil, unit: nil, periods: false)
        return capture_missing(unit) unless capture
        unless @tools.captures.find(capture)
          return @tools.failed("no capture is called #{capture[0, 100].inspect}; without arguments the " \
            "tool lists them")
        end
        return @tools.bounded(@tools.run([*@command, capture, "--unit=#{unit}", "--full"])) if unit
        answer = @tools.run([*@command, capture, "--export=json"])
        return @tools.bounded(answer) if answer.failed || periods
        answer.with(text: without_periods(answer.text))
      end

      private

      def capture_missing(unit)
        unit ? @tools.failed("unit needs a capture; without both the tool lists captures") : kept
      end

      def without_periods(text)
        document = JSON.parse(text)
        threads = document.fetch("threads").map { |thread| thread.except("periods", "collections") }
        JSON.generate(document.except("frames", "stacks", "samples").merge("threads" => threads))
      end

      def kept
        captures = @tools.captures.kept.map do |one|
          process = one.header&.process_name
          {id: one.id, pid: one.header&.pid, process:, events: one.events, facts: one.facts}
        end
        @tools.answer({schema: 1, captures:})
      end
    end
  end
end
