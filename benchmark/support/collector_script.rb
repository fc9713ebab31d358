# frozen_string_literal: true

require_relative "bench"

module Bench
  # benchmark/collector.rb, which prints its own figures.
  class CollectorScript
    SCRIPT = File.join(Fresh::ROOT, "benchmark/collector.rb")
    QUICK = %w[4 20 5].freeze # processes, series, units
    ABOUT = "A real collector carries real segments into a real SQLite file."
    CASE = /^(\S.*?)(?:, \d+ requests a tick)?$/
    CPU = /CPU of one core: ([\d.]+) %/
    RSS = /([\d.]+) MB at most/

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @arguments = quick ? QUICK : []
    end

    # @return [Result]
    def call
      output, status = Open3.capture2e(RbConfig.ruby, SCRIPT, *@arguments)
      raise Failure, "collector: #{status}\n#{output.lines.last(8).join}" unless status.success?
      Result.new(title: "The collector", about: "#{ABOUT}\n\n```\n#{output.strip}\n```", tables: [],
        budgets: budgets(output))
    end

    private

    # One pair for each case: a line at the margin, and its figures below.
    def budgets(output)
      output.split(/^(?=\S)/).each_with_object([]) do |text, budgets|
        what = text[CASE, 1]
        text.scan(CPU) { |cpu| budgets << Budget.new("#{what}: CPU of one core", 1, cpu[0].to_f, "%") }
        text.scan(RSS) { |rss| budgets << Budget.new("#{what}: memory at most", 60, rss[0].to_f, "MB") }
      end
    end
  end
end
