# frozen_string_literal: true

module Holdup
  module Fleet
    Feature = FeatureContents.of(
      about: "hosts beside each other",
      uses: %w[report top],
      commands: [
        {name: "fleet", place: 30, group: :keep_well,
         summary: "all hosts: what runs where, which one differs, which revision",
         examples: ["", "--since 1d", "--role sidekiq --json"], brief: true}
      ],
      pages: [
        {name: "fleet", place: 105, section: :changes}
      ]
    )
  end
end
