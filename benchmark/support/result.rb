# frozen_string_literal: true

module Bench
  # @param error [StandardError] of a server or runner
  # @return [String] one line: what failed, and the last thing that it said
  def self.failure_line(error)
    error.message.lines.values_at(0, -1).map(&:strip).uniq.join(" ... ")
  end

  # A figure held against its budget of DESIGN.md, section 9. A missed one is said and fails nothing: machines
  # differ.
  Budget = Data.define(:what, :limit, :actual, :unit) do
    def met? = actual <= limit

    def to_s
      "#{what}: #{format("%.2f", actual)} #{unit}, budget #{limit} #{unit}: #{met? ? "ok" : "missed"}"
    end
  end

  # One table of a bench.
  # columns [Array<String>], rows [Array<Array<String>>]
  ResultTable = Data.define(:columns, :rows) do
    def to_markdown
      lines = [columns, columns.each_index.map { |index| index.zero? ? "---" : "---:" }, *rows]
      lines.map { |cells| "| #{cells.join(" | ")} |\n" }.join
    end
  end

  # What a bench hands over: tables under one title, in Markdown.
  # title, about [String]; tables [Array<ResultTable>]; budgets [Array<Budget>]; notes [Array<String>]
  Result = Data.define(:title, :about, :tables, :budgets, :notes) do
    def initialize(title:, about:, tables:, budgets: [], notes: [])
      super
    end

    def to_markdown
      ["## #{title}\n", "#{about}\n", *tables.map(&:to_markdown), *list(budgets), *list(notes)].join("\n")
    end

    private

    def list(lines)
      lines.empty? ? [] : [lines.map { |line| "- #{line}\n" }.join]
    end
  end
end
