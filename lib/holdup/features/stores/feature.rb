# frozen_string_literal: true

module Holdup
  module Stores
    Feature = FeatureContents.of(
      commands: [
        {name: "store", place: 150,
         summary: "make the tables of a central store, say what is in it, copy it"}
      ]
    )
  end
end
