# frozen_string_literal: true

module Holdup
  module Experiment
    Feature = FeatureContents.of(
      about: "arms of an experiment, side by side",
      uses: %w[advise autopilot compare],
      offers: %w[LookSchedule Reader RecordedVerdict Result],
      commands: [
        {name: "experiment", place: 90, group: :prove,
         summary: "arms side by side: time needed, progress, and the answer",
         examples: ["plan", "start --threads 5,3 --for 2h", "report"]}
      ],
      pages: [
        {name: "experiments", place: 100, section: :changes}
      ]
    )
  end
end
