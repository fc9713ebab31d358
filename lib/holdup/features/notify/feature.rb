# frozen_string_literal: true

module Holdup
  module Notify
    Feature = FeatureContents.of(
      about: "messages when something is wrong: [notices](../guide/notify.md) by webhook, command or log, " \
        "and the digest of the week",
      uses: %w[advise autopilot compare deaths],
      commands: [
        {name: "notify", place: 145,
         summary: "who gets which messages, the last ones, a test, and the weekly digest",
         examples: ["", "--test", "--digest"]}
      ],
      parts: {notices: "CollectorPart", notices_in_app: "InAppCollectorPart"}
    )
  end
end
