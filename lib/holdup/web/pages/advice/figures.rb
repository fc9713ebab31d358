# frozen_string_literal: true

require_relative "../../../advice"
require_relative "../../../analysis/sizing/candidates"
require_relative "../../../analysis/sizing/objective"
require_relative "../../../analysis/sizing/what_if"
require_relative "../../../inquiry/sized"

module Holdup
  class Web
    module Pages
      # What the page of advice is made from: the recording, the replays of other settings, the findings, and
      # what was asked for by its form.
      class AdviceFigures
        # @param store [Remembered]
        # @param span [Range<Integer>] seconds since 1970
        # @param kind [Symbol]
        # @param change [Analysis::Sizing::WhatIf::Change, nil] nil: nothing was asked for
        # @param step [#call] takes what is being done
        def initialize(store, span:, kind:, change:, step:)
          @kind = kind
          @change = change
          step.call([:step_reading, {}])
          @sized = Inquiry::Sized.new(store, from_s: span.begin, to_s: span.end, kind:, objective:)
          step.call(replaying) if recommendation
          @found = Holdup::Advice.call(situation)
          @what_if = replay
        end

        # @return [Inquiry::Sized]
        attr_reader :sized
        # @return [Array<Holdup::Advice::Finding>]
        attr_reader :found
        # @return [Analysis::Sizing::WhatIf, nil] nil where nothing is asked, or nothing can be replayed: the advice
        #   says why
        attr_reader :what_if

        # @return [Analysis::Sizing::Recommendation, nil]
        def recommendation = sized.recommendation

        private

        def objective = Analysis::Sizing::Objective.new((@kind == :job) ? :throughput : :latency)

        def situation
          levers = Holdup::Advice::Levers.new(sized.lately)
          Holdup::Advice::Situation.new(summary: sized.summary, recommendation:, levers:)
        end

        def replay
          return unless @change && recommendation && recommendation.reasons.empty?
          Analysis::Sizing::WhatIf.new(recommendation, @change)
        end

        def replaying
          units = recommendation.recording.units
          vcpus = recommendation.limits.vcpus
          return [:step_counting, {units:}] if vcpus.nil? || recommendation.recording.problems.any?
          [:step_replaying, {units:, settings: settings(vcpus).size}]
        end

        def settings(vcpus)
          recording = recommendation.recording
          current = recommendation.now
          Analysis::Sizing::Candidates.new(recording.demand, current:, vcpus:, threaded: recording.threaded?).to_a
        end
      end
    end
  end
end
