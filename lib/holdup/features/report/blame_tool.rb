# frozen_string_literal: true

require "json"

module Holdup
  module Report
    # The tool `blame`: the short part of the report.
    module BlameTool
      FACTS = %w[schema from to by uncollected verdict pairs].freeze
      ROW = %w[name kind queue count stalled_ns caused_ns].freeze
      TOTALS = %w[count stalled_ns caused_ns handoff_ns accounts].freeze

      # @param tools [Mcp::Command::McpTools]
      # @return [Mcp::Command::McpTools::ToolAnswer]
      def self.call(tools, tool, **arguments)
        answer = tools.run(tool.command + tool.options(arguments))
        return answer if answer.failed
        report = JSON.parse(answer.text)
        rows = report.fetch("series").map { |row| row.slice(*ROW) }
        totals = report.fetch("totals").slice(*TOTALS)
        facts = {**report.slice(*FACTS), "totals" => totals, "series" => rows}
        tools.bounded(answer.with(text: JSON.generate(facts)))
      end
    end
  end
end
