# frozen_string_literal: true

module Holdup
  module Scaling
    Feature = FeatureContents.of(
      about: "[the signal for autoscalers](../guide/scaling.md)",
      uses: %w[advise export],
      commands: [
        {name: "scale", place: 70, summary: "load and capacity of each role, the signal for autoscalers",
         examples: ["--slo p95=300ms", "--within 60s", "--role puma --json"]}
      ],
      routes: %w[Routes],
      parts: {scaling: "ScalingSignal"}
    )
  end
end
