# frozen_string_literal: true

module Holdup
  module Export
    Feature = FeatureContents.of(
      about: "figures for other systems, of each commit to the store: " \
        "[Prometheus](../guide/prometheus.md), [OpenTelemetry](../guide/opentelemetry.md), " \
        "[StatsD](../guide/statsd.md), [Terraform](../guide/terraform.md)",
      offers: %w[Exporters::MetricsFile MetricsServer ProcessFigures],
      commands: [
        {name: "terraform", also: "export terraform", place: 200,
         summary: "Terraform for CloudWatch: metrics, alarms and a dashboard",
         examples: ["", "--log-group /ecs/shop --region eu-west-1", "--format emf --server puma --app shop"],
         constant: "TerraformCommand"}
      ],
      routes: %w[Routes],
      parts: {exporting: "Exporters"}
    )
  end
end
