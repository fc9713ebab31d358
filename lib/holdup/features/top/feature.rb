# frozen_string_literal: true

module Holdup
  module Top
    Feature = FeatureContents.of(
      about: "the processes of this host, each second anew",
      offers: %w[LiveText SegmentsReader Terminal],
      commands: [
        {name: "top", place: 20, group: :look,
         summary: "what the processes of this host do now, each second anew",
         examples: ["", "--seconds 10", "--dir /dev/shm/holdup-1000"]}
      ]
    )
  end
end
