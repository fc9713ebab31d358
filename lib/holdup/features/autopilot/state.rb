# frozen_string_literal: true

require "json"

module Holdup
  module Autopilot
    # What the autopilot remembers, also when its collector is started anew.
    #
    # - `plan`: ExperimentPlan that runs; `kept`: the one whose candidate all workers have; nil: none
    # - `renewed_s`: when their leases were renewed; `revision`: of the application when `plan` began
    # - `begun`: when experiments began, within a day; `refused`: {value => until when it is not tried}
    # - `asked_s`: when a question was last asked; `changed_s`: when the setting last changed for good
    # - `waits`: a key of WAITS; `detail`: what belongs to it
    # - `history`: the latest changes, oldest first: {at_s, id, lever, from, to, by, why}
    State = Data.define(
      :plan, :kept, :renewed_s, :revision, :begun, :refused, :asked_s, :changed_s, :waits, :detail, :history
    ) do
      def initialize(plan: nil, kept: nil, renewed_s: 0, revision: nil, begun: [], refused: {}, asked_s: 0,
        changed_s: 0, waits: :start, detail: "", history: [])
        super
      end

      # @param text [String, nil] of to_json
      # @return [State] a new one for anything else: what workers have then ends with its lease
      def self.parse(text)
        read = JSON.parse(text.to_s, symbolize_names: true).slice(*members)
        plans = read.slice(:plan, :kept).compact.transform_values { |plan| ExperimentPlan.parse(plan) }
        refused = read.fetch(:refused).to_h { |value, until_s| [Integer(value.name, 10), until_s] }
        new(**read, **plans, refused:, waits: read.fetch(:waits).to_sym)
      rescue JSON::ParserError, DamagedData, KeyError, TypeError, ArgumentError, NoMethodError
        new
      end

      def to_json(*)
        JSON.generate({**to_h, plan: plan&.to_text, kept: kept&.to_text})
      end

      # @return [Symbol]
      def phase
        return :experiment if plan
        kept ? :kept : :waiting
      end
    end
  end
end
