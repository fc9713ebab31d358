# frozen_string_literal: true

module Holdup
  module Terraform
    # The alarms that somebody has to get up for: the JIT's memory is full, a JIT that does nothing, a process
    # that takes too much memory. Where no line comes there is no alarm: a deployment is no trouble.
    class Alarms
      # - `metric`, `statistic`, `operator`, `threshold`: of CloudWatch; nil: of the plan
      # - `minutes`: for how long
      Alarm = Data.define(:name, :metric, :statistic, :operator, :threshold, :minutes, :description)

      ALL = [
        Alarm.new("jit_saturated", "jit_saturated", "Maximum", "GreaterThanOrEqualToThreshold", 1, 15,
          "A process's JIT has no memory left: what it meets from now on stays interpreted. Raise mem-size by a quarter if there is room."),
        Alarm.new("jit_ineffective", "jit_effective", "Minimum", "LessThanThreshold", 1, 15,
          "A process's YJIT is on and does nothing: a TracePoint was on once. holdup doctor names the libraries."),
        Alarm.new("memory", "rss_bytes", "Maximum", "GreaterThanThreshold", nil, 15,
          "A process takes more memory than planned. holdup report shows what grew: code and metadata of the JIT, or the application.")
      ].freeze
      PERIOD_S = 300

      # @param plan [Plan]
      def initialize(plan)
        @plan = plan
      end

      # @return [Array<Hcl::Block>]
      def blocks
        ALL.map { |alarm| Hcl::Block.new("resource", ["aws_cloudwatch_metric_alarm", "holdup_#{alarm.name}"], {**head(alarm), **rule(alarm), **actions}) }
      end

      private

      def head(alarm)
        {alarm_name: @plan.named(alarm.name.tr("_", "-")), alarm_description: alarm.description}
      end

      def rule(alarm)
        {namespace: @plan.namespace, metric_name: alarm.metric, dimensions: (unless @plan.dimensions.empty?
                                                                               @plan.dimensions
                                                                             end), statistic: alarm.statistic,
         comparison_operator: alarm.operator, threshold: alarm.threshold || @plan.memory_mib * (1 << 20), period: PERIOD_S,
         evaluation_periods: alarm.minutes * 60 / PERIOD_S, datapoints_to_alarm: 2, treat_missing_data: "notBreaching"}.compact
      end

      def actions
        %i[alarm_actions ok_actions].to_h { |name| [name, Hcl::Code.new("var.holdup_alarm_actions")] }
      end
    end
  end
end
