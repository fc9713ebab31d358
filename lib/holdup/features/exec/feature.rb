# frozen_string_literal: true

module Holdup
  module Exec
    Feature = FeatureContents.of(
      about: "Holdup in programs that do not know it",
      offers: %w[BootOptions],
      commands: [
        {name: "exec", place: 160,
         summary: "run a command with Holdup in it, with no change to the application",
         examples: [
           "-- bundle exec puma",
           "-- bundle exec sidekiq -c 10",
           "--store postgres://db/holdup -- bin/jobs"
         ], warns: false}
      ]
    )
  end
end
