# frozen_string_literal: true

module Holdup
  module Export
    Feature = FeatureContents.of(
      commands: [
        {name: "terraform", place: 200,
         summary: "metrics, alarms and a dashboard of lines of statistics", constant: "TerraformCommand"}
      ],
      routes: %w[Routes],
      parts: {exporting: "Exporters"}
    )
  end
end
