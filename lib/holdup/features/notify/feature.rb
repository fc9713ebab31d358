# frozen_string_literal: true

module Holdup
  module Notify
    Feature = FeatureContents.of(
      about: "messages when something is wrong: [notices](notify.md) by webhook, command or log, and " \
        "the digest of the week",
      uses: %w[advise autopilot compare deaths],
      commands: [
        {name: "notify", place: 145,
         summary: "who is told of what, what was told last, a test, the digest of the week",
         examples: ["", "--test", "--digest"]}
      ],
      parts: {notices: "CollectorPart", notices_in_app: "InAppCollectorPart"}
    )
  end
end
