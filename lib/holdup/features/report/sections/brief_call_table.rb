# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # What the requests or jobs of one name call, in short: how often, how long, and how much of it the
      # other side took.
      class BriefCallTable < View::SectionBase
        COLUMNS = %i[calls_to calls_each calls_elapsed calls_remote].freeze
        MOST = 4

        def self.parts(summary) = CallTable.parts(summary)

        # @return [View::Section, nil] nil without calls, and where there are several names
        def call
          unit = summary.calls.first if summary.by == :name && summary.rows.map(&:name).uniq.one?
          return unless unit
          View::Section.new(title: word(:calls_brief), columns: COLUMNS.map { |key| word(key) },
            rows: unit.lines.first(MOST).map { |line| row(unit, line) })
        end

        private

        def row(unit, line)
          times = [line.elapsed.sum, line.remote.sum].map { |ns| duration(ns.fdiv(unit.units)) }
          [View::CalledSystem.call(line, @words), amount(line.each), *times]
        end
      end
    end
  end
end
