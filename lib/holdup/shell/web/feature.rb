# frozen_string_literal: true

module Holdup
  class Web
    Feature = FeatureContents.of(
      about: "the dashboard that shows the pages of all features",
      commands: [
        {name: "web", place: 180, group: :look,
         summary: "the dashboard in a browser, for this machine's store",
         examples: ["", "--port 9901", "--store postgres://db/holdup"]}
      ]
    )
  end
end
