# frozen_string_literal: true

module Holdup
  module Autopilot
    Feature = FeatureContents.of(
      about: "threads or processes that set themselves",
      uses: %w[advise experiment],
      offers: %w[ActsReader State StatusText],
      commands: [
        {name: "autopilot", also: "experiment auto", place: 100,
         summary: "what it does with Puma's threads or processes and why; freeze, thaw",
         examples: ["", "freeze", "thaw"]}
      ],
      marks: [
        {page: "experiments", place: 15, constant: "MarksReader"}
      ],
      parts: {autopilot: "CollectorPart"}
    )
  end
end
