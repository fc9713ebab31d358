# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # What the page of advice is made from: the recording, the replays of other settings, the findings, and
      # what was asked for by its form.
      class AdviceInputs
        # @param store [Queries::RequestCache]
        # @param span [Range<Integer>] seconds since 1970
        # @param kind [Symbol]
        # @param change [Sizing::WhatIf::WhatIfChange, nil] nil: nothing was asked for
        # @param step [#call] takes what is being done
        def initialize(store, span:, kind:, change:, step:)
          @kind = kind
          @change = change
          step.call([:step_reading, {}])
          @sized = Queries::SizingInputs.new(store, from_s: span.begin, to_s: span.end, kind:, objective:)
          step.call(replaying) if recommendation
          @found = Holdup::Advice.call(situation)
          @what_if = replay
        end

        # @return [Queries::SizingInputs]
        attr_reader :sized
        # @return [Array<Holdup::Advice::Finding>]
        attr_reader :found
        # @return [Sizing::WhatIf, nil] nil where nothing is asked, or nothing can be replayed: the advice
        #   says why
        attr_reader :what_if

        # @return [Sizing::Recommendation, nil]
        def recommendation = sized.recommendation

        private

        def objective
          Sizing::Objective.new((@kind == :job) ? :throughput : :latency)
        end

        def situation
          levers = Holdup::Advice::ServerLevers.new(sized.lately)
          Holdup::Advice::Situation.new(summary: sized.summary, recommendation:, levers:)
        end

        def replay
          return unless @change && recommendation && recommendation.reasons.empty?
          Sizing::WhatIf.new(recommendation, @change)
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
          Sizing::CandidateGrid.new(recording.demand, current:, vcpus:, threaded: recording.threaded?).to_a
        end
      end
    end
  end
end
