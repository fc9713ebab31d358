# frozen_string_literal: true

module Holdup
  module Captures
    Feature = FeatureContents.of(
      about: "stored captures, their timeline, formats for other viewers",
      offers: %w[MethodProfile],
      commands: [
        {name: "capture", place: 110, group: :look,
         summary: "every GVL event of some seconds, thread by thread",
         examples: ["", "--all --seconds 5", "--pid 4711 --until 'stall > 50 ms' --seconds 600"]},
        {name: "timeline", also: "capture show", place: 120,
         summary: "what happened in a capture: who waited, and for whom",
         examples: ["", "20261121T144640Z-4711", "20261121T144640Z-4711 --unit slowest"],
         constant: "TimelineCommand"}
      ],
      pages: [
        {name: "captures", place: 120, section: :captures},
        {name: "capture", place: 130, section: :captures, listed: false, constant: "CapturePage"}
      ],
      tools: [
        {name: "timeline", place: 60, command: %w[timeline], constant: "TimelineTool",
         description: "Captures of every GVL event of some seconds. Without a capture: which are kept. " \
           "With one: its threads, requests and jobs, and methods (keys: " \
           "`holdup docs capture-file`). With unit: the story of one request or job, as text: each " \
           "wait, and who held the GVL meanwhile."}
      ],
      routes: %w[Routes],
      parts: {captures: "CollectorPart", kept_captures: "Reader"}
    )
  end
end
