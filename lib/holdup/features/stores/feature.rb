# frozen_string_literal: true

module Holdup
  module Stores
    Feature = FeatureContents.of(
      about: "care of a store",
      commands: [
        {name: "store", place: 150,
         summary: "make the tables of a central store, say what is in it, copy it",
         examples: ["", "migrate --store postgres://db/holdup", "copy holdup.sqlite3 postgres://db/holdup"]}
      ]
    )
  end
end
