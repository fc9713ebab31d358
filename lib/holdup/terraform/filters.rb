# frozen_string_literal: true

module Holdup
  module Terraform
    # One metric filter for each figure of a line. Sums are right, because each unit is in one line only:
    # "stats", or "exit" for the rest.
    class Filters
      # Only our lines have such an event and a fingerprint.
      OURS = '($.event = "stats" || $.event = "exit") && $.setting = *'

      def initialize(plan)
        @plan = plan
      end

      def blocks
        [Hcl::Block.new("locals", [], {holdup_metrics: StatsLog::Metrics::UNITS}),
          Hcl::Block.new("resource", %w[aws_cloudwatch_log_metric_filter holdup], filter,
            [Hcl::Block.new("metric_transformation", [], metric)])]
      end

      private

      def filter
        {for_each: Hcl::Code.new("local.holdup_metrics"), name: code("#{@plan.named("")}${each.key}"),
         log_group_name: Hcl::Code.new("var.holdup_log_group"),
         pattern: code("{ #{conditions} && $.${each.key} = * }")}
      end

      def metric
        {name: Hcl::Code.new("each.key"), namespace: @plan.namespace, value: code("$.${each.key}"),
         unit: Hcl::Code.new("each.value")}
      end

      def conditions
        only = {app: @plan.app, server: @plan.server}.compact
        [OURS, *only.map { |name, text| "$.#{name} = \"#{text}\"" }].join(" && ")
      end

      # A string in which Terraform inserts the figure's name.
      def code(text)
        Hcl::Code.new(Hcl.quote(text).gsub("$${each.key}", "${each.key}"))
      end
    end
  end
end
