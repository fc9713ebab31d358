# frozen_string_literal: true

module Holdup
  module Ps
    Feature = FeatureContents.of(
      about: "which requests and jobs run now, and who holds the GVL",
      uses: %w[doctor top],
      offers: %w[GvlHold OpenProcess OpenWork Reader Report SampledPlace WorkSentences],
      commands: [
        {name: "ps", place: 25, group: :look,
         summary: "which requests and jobs run now, for how long, and what each waits for",
         examples: ["", "--longer 5s", "--json"], brief: true}
      ],
      tools: [
        {name: "ps", place: 25, command: %w[ps --json],
         description: "Which requests and jobs run now on this host, the longest first: process, elapsed " \
           "time, state and since when, call, place; who holds the GVL; signs of a process that hangs. " \
           "Needs no store. Keys: holdup://keys/ps."}
      ],
      checks: {"HungCheck" => 105}
    )
  end
end
