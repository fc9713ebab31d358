# frozen_string_literal: true

module Holdup
  class Collector
    Feature = FeatureContents.of(
      about: "carries the figures of this host to the store",
      commands: [
        {name: "collect", place: 140,
         summary: "carry the measurements of this host to the store",
         examples: ["", "--store postgres://db/holdup", "--once"], warns: false}
      ]
    )
  end
end
