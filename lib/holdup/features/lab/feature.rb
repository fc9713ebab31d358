# frozen_string_literal: true

module Holdup
  module Lab
    Feature = FeatureContents.of(
      about: "experiments with real processes",
      uses: %w[advise exec],
      commands: [
        {name: "lab", place: 170, summary: "experiments with real processes on this machine",
         examples: ["", "sweep --help", "sidekiq-vcpu"]}
      ]
    )
  end
end
