# frozen_string_literal: true

module Holdup
  module Top
    Feature = FeatureContents.of(
      commands: [
        {name: "top", place: 20, summary: "what the processes of this host do now, each second anew"}
      ]
    )
  end
end
