# frozen_string_literal: true

module Holdup
  class CLI
    Feature = FeatureContents.of(
      about: "the command line that runs the commands of all features",
      commands: [
        {name: "completion", place: 205, summary: "complete commands and options in bash, zsh and fish",
         examples: %w[bash zsh fish], constant: "Completion", warns: false,
         brief: true},
        {name: "docs", place: 203, summary: "the pages of the guide, or one of them",
         examples: ["", "advise", "how-many-threads"], constant: "Docs", warns: false,
         brief: true},
        {name: "version", place: 210,
         summary: "the version of Holdup and of this Ruby",
         examples: [""], constant: "Registry::Version", warns: false,
         brief: true},
        {name: "help", place: 220,
         summary: "this, or the help of one command",
         examples: ["", "--all", "report"], constant: "Registry::Help", warns: false,
         brief: true}
      ]
    )
  end
end
