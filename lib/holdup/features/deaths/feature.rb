# frozen_string_literal: true

module Holdup
  module Deaths
    Feature = FeatureContents.of(
      about: "which processes died, and what ran in them then",
      uses: %w[ps],
      offers: %w[DeathSentences],
      commands: [
        {name: "deaths", place: 27, group: :look,
         summary: "which processes died, how, and what ran in them then",
         examples: ["", "--since 7d", "ID"], brief: true}
      ],
      pages: [
        {name: "deaths", place: 155, section: :health}
      ],
      marks: [
        {page: "deaths", place: 10, constant: "MarksReader"}
      ],
      tools: [
        {name: "deaths", place: 27, command: %w[deaths --json],
         description: "Processes that died in a span (the last 24 hours if it is left out): when, how " \
           "(killed for memory, timeout, signal, exit status), the requests and jobs in flight with " \
           "elapsed time, state, call and place, who held the GVL, memory before, and what ended last. " \
           "Keys: holdup://keys/deaths."}
      ]
    )
  end
end
