# frozen_string_literal: true

module Holdup
  module Compare
    Feature = FeatureContents.of(
      about: "two recordings compared; whether the last change of a setting moved anything",
      offers: %w[BlockBootstrap Comparison DriftReader Estimate Reader Report::Cells Sentences
        SettingGroups Side],
      commands: [
        {name: "compare", place: 80, group: :prove,
         summary: "what a change did: two times, settings or revisions, with intervals",
         examples: ["", "--before 2d..1d --after 1d..", "--revision 3f2a91c 8b01d4e"], brief: true}
      ],
      pages: [
        {name: "compare", place: 90, section: :changes}
      ],
      marks: [
        {page: "compare", place: 5, constant: "MarksReader"}
      ],
      tools: [
        {name: "compare", place: 50, command: %w[compare --json],
         description: "What a change did, with confidence intervals: give before and after, or by (and " \
           "values), or two revisions."}
      ]
    )
  end
end
