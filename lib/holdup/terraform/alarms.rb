# frozen_string_literal: true

module Holdup
  module Terraform
    # Alarms that need action. Missing lines raise none: a deployment causes them.
    class Alarms
      # `metric`, `statistic`, `operator`, `threshold`: of CloudWatch; threshold nil: that of the plan
      Alarm = Data.define(:name, :metric, :statistic, :operator, :threshold, :minutes, :description)

      ALL = [
        Alarm.new(name: "jit_saturated", metric: "jit_saturated", statistic: "Maximum",
          operator: "GreaterThanOrEqualToThreshold", threshold: 1, minutes: 15,
          description: "A process's JIT has no memory left: what it meets from now on stays interpreted. " \
                       "Raise mem-size by a quarter if there is room."),
        Alarm.new(name: "jit_ineffective", metric: "jit_effective", statistic: "Minimum",
          operator: "LessThanThreshold", threshold: 1, minutes: 15,
          description: "A process's YJIT is on and does nothing: a TracePoint was on once. " \
                       "holdup doctor names the libraries."),
        Alarm.new(name: "memory", metric: "rss_bytes", statistic: "Maximum",
          operator: "GreaterThanThreshold", threshold: nil, minutes: 15,
          description: "A process takes more memory than planned. holdup report shows what grew: " \
                       "code and metadata of the JIT, or the application.")
      ].freeze
      PERIOD_S = 300
      MIB = 1 << 20

      def initialize(plan)
        @plan = plan
      end

      def blocks
        ALL.map do |alarm|
          labels = ["aws_cloudwatch_metric_alarm", "holdup_#{alarm.name}"]
          Hcl::Block.new("resource", labels, {**head(alarm), **rule(alarm), **actions})
        end
      end

      private

      def head(alarm)
        {alarm_name: @plan.named(alarm.name.tr("_", "-")), alarm_description: alarm.description}
      end

      def rule(alarm)
        dimensions = @plan.dimensions
        {namespace: @plan.namespace, metric_name: alarm.metric,
         dimensions: dimensions.empty? ? nil : dimensions, statistic: alarm.statistic,
         comparison_operator: alarm.operator, threshold: alarm.threshold || @plan.memory_mib * MIB,
         period: PERIOD_S, evaluation_periods: alarm.minutes * 60 / PERIOD_S, datapoints_to_alarm: 2,
         treat_missing_data: "notBreaching"}.compact
      end

      def actions
        %i[alarm_actions ok_actions].to_h { |name| [name, Hcl::Code.new("var.holdup_alarm_actions")] }
      end
    end
  end
end
