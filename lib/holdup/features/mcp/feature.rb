# frozen_string_literal: true

module Holdup
  module Mcp
    Feature = FeatureContents.of(
      about: "answers for assistants",
      commands: [
        {name: "mcp", place: 190, summary: "the same answers for assistants (Model Context Protocol)",
         examples: ["", "--store postgres://db/holdup", "--lang ja"]}
      ]
    )
  end
end
