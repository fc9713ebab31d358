# frozen_string_literal: true

require_relative "bench"

module Bench
  # benchmark/collector.rb, which prints its own figures.
  class CollectorScript
    SCRIPT = File.join(Fresh::ROOT, "benchmark/collector.rb")
    QUICK = %w[4 20 5].freeze # processes, series, units
    ABOUT = "A real collector carries real segments into a real SQLite file, and every series of every process moves in every tick: the worst case."
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
      Result.new(title: "The collector", about: ABOUT, tables: [], budgets: budgets(output), notes: output.lines.map(&:chomp))
    end

    private

    def budgets(output)
      [Budget.new("CPU of one core", 1, output[CPU, 1].to_f, "%"), Budget.new("memory at most", 60, output[RSS, 1].to_f, "MB")]
    end
  end
end
