# frozen_string_literal: true

module Holdup
  module Fleet
    Feature = FeatureContents.of(
      commands: [
        {name: "fleet", place: 30, summary: "all hosts: what runs where, which one differs, which revision"}
      ],
      pages: [
        {name: "fleet", place: 60}
      ]
    )
  end
end
