# frozen_string_literal: true

require "json"

module Holdup
  module Export
    # Terraform code that turns lines of statistics into metrics, alarms and a dashboard in CloudWatch, in
    # Terraform's JSON syntax (https://developer.hashicorp.com/terraform/language/syntax/json). Its comment
    # says what is billed.
    module Terraform
      # - `format`: of the lines, :json (filters make the metrics) or :emf (CloudWatch makes them)
      # - `log_group`, `region`: nil makes Terraform ask for it
      # - `namespace`: of the metrics; `app`, `server`: only their lines, nil for all
      # - `memory_mib`: memory of one process that triggers the alarm
      AlarmPlan = Data.define(:format, :log_group, :region, :namespace, :app, :server, :memory_mib) do
        def initialize(format: :json, log_group: nil, region: nil, namespace: nil, app: nil, server: nil,
          memory_mib: 1024)
          namespace ||= (app && format == :json) ? "Holdup/#{app}" : "Holdup"
          super
        end

        def filters? = format == :json

        # Dimensions of the metrics; filters make none, since each one is billed.
        def dimensions
          filters? ? {} : {"app" => app, "server" => server}.compact
        end

        # Unique to the application.
        def named(name)
          ["holdup", app, server, name].compact.join("-")
        end
      end

      # A string with references, such as "${var.region}", which Terraform evaluates. In any other string of
      # an expression, "${" and "%{" are escaped.
      Template = Data.define(:text)

      # @return [String] the content of a `.tf.json` file
      def self.write(plan)
        parts = [*(Filters.new(plan) if plan.filters?), Alarms.new(plan), CloudWatchDashboard.new(plan)]
        file = {"//" => comment(plan), :variable => variables(plan),
                :locals => expression(parts.map(&:locals).reduce(:merge)),
                :resource => expression(parts.map(&:resources).reduce(:merge))}
        "#{JSON.pretty_generate(file)}\n"
      end

      # @return [Object] the value as JSON that Terraform reads as an expression. It evaluates keys as well.
      def self.expression(value)
        case value
        when Template then value.text
        when String then literal(value)
        when Array then value.map { |item| expression(item) }
        when Hash then value.to_h { |key, item| [literal(key.to_s), expression(item)] }
        else value
        end
      end

      # @return [String] a part of a template that Terraform reads as this text
      def self.literal(text) = text.gsub(/[$%](?=\{)/) { |sign| sign * 2 }

      # Terraform ignores it.
      def self.comment(plan)
        parts = "#{billed_metrics(plan)}, #{Alarms::ALL.size} alarms and a dashboard"
        "#{parts} for Holdup's lines of statistics. " \
          "Custom metrics, alarms and dashboards are billed: see your region's prices."
      end

      def self.billed_metrics(plan)
        count = StatsLog::Metrics::UNITS.size
        return "#{count} metric filters (each makes a custom metric)" if plan.filters?
        "no metric filter (lines in the embedded metric format need none; " \
          "each of their figures is a custom metric)"
      end

      # Terraform takes all that a variable says as it is: here nothing is escaped.
      def self.variables(plan)
        description = "Log group that the lines of statistics are in"
        log_group = {holdup_log_group: variable(description, plan.log_group)}
        region = {holdup_region: variable("Region of the dashboard's metrics", plan.region)}
        {**alarm_actions, **(plan.filters? ? log_group : {}), **region}
      end

      def self.alarm_actions
        {holdup_alarm_actions: {description: "ARNs of what to tell, such as an SNS topic",
                                type: "list(string)",
                                default: []}}
      end

      # Terraform asks for a variable that has no default.
      def self.variable(description, default) = {description:, type: "string", default:}.compact
      private_class_method :comment, :billed_metrics, :variables, :alarm_actions, :variable

      # One metric filter for each figure of a line. Sums are right, because each unit is in one line only:
      # "stats", or "exit" for the rest.
      class Filters
        # Only our lines have such an event and a fingerprint.
        OURS = '($.event = "stats" || $.event = "exit") && $.setting = *'

        def initialize(plan)
          @plan = plan
        end

        def locals = {holdup_metrics: StatsLog::Metrics::UNITS}

        def resources = {aws_cloudwatch_log_metric_filter: {holdup: filter}}

        private

        def filter
          {for_each: Template.new("${local.holdup_metrics}"),
           name: Template.new("#{Terraform.literal(@plan.named(""))}${each.key}"),
           log_group_name: Template.new("${var.holdup_log_group}"),
           pattern: Template.new("{ #{Terraform.literal(conditions)} && $.${each.key} = * }"),
           metric_transformation: metric}
        end

        def metric
          {name: Template.new("${each.key}"), namespace: @plan.namespace,
           value: Template.new("$.${each.key}"),
           unit: Template.new("${each.value}")}
        end

        def conditions
          only = {app: @plan.app, server: @plan.server}.compact
          [OURS, *only.map { |name, text| "$.#{name} = \"#{text}\"" }].join(" && ")
        end
      end

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

        def initialize(plan)
          @plan = plan
        end

        def locals = {}

        def resources
          alarms = ALL.to_h do |alarm|
            [:"holdup_#{alarm.name}", {**head(alarm), **rule(alarm), **actions}]
          end
          {aws_cloudwatch_metric_alarm: alarms}
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
          %i[alarm_actions ok_actions].to_h { |name| [name, Template.new("${var.holdup_alarm_actions}")] }
        end
      end

      # One page: throughput and latency, where the time went, memory, and the state of the JIT.
      class CloudWatchDashboard
        # Title => metric => statistic.
        WIDGETS = {
          "Units" => {"units" => "Sum", "errors" => "Sum"},
          "Time of a unit (ms), worst process" => %w[
            wall_p50_ms wall_p95_ms stalled_p95_ms queued_p95_ms
          ].to_h { |metric| [metric, "Maximum"] },
          "Where the time of units goes" => {"running_share" => "Average", "stalled_share" => "Average",
                                             "idle_share" => "Average"},
          "CPU of a process, as a share of one core" => {"cpu_share" => "Average"},
          "Memory of a process" => {"rss_bytes" => "Average", "jit_memory_bytes" => "Average"},
          "JIT: code and metadata" => {"jit_code_bytes" => "Average", "jit_metadata_bytes" => "Average"},
          "JIT: on, warm, effective, full (share of the processes)" => {
            "jit_on" => "Average", "jit_warm" => "Average", "jit_effective" => "Average",
            "jit_saturated" => "Average"
          },
          "JIT: interpreted instructions for each unit" => {"jit_interpreted_per_unit" => "Average"}
        }.freeze
        WIDTH = 12
        HEIGHT = 6
        COLUMNS = 2

        def initialize(plan)
          @plan = plan
        end

        # AWS takes the dashboard as JSON in a text. Terraform encodes it, with its region.
        def locals
          widgets = WIDGETS.each_with_index.map { |(title, metrics), index| widget(title, metrics, index) }
          {holdup_dashboard: {widgets:}}
        end

        def resources
          body = Template.new("${jsonencode(local.holdup_dashboard)}")
          {aws_cloudwatch_dashboard: {holdup: {dashboard_name: @plan.named("jit"), dashboard_body: body}}}
        end

        private

        def widget(title, metrics, index)
          row, column = index.divmod(COLUMNS)
          properties = {title:, view: "timeSeries", region: Template.new("${var.holdup_region}"),
                        period: Alarms::PERIOD_S, metrics: metrics.map { |name, stat| metric(name, stat) }}
          {type: "metric", x: column * WIDTH, y: row * HEIGHT, width: WIDTH, height: HEIGHT, properties:}
        end

        def metric(name, stat)
          [@plan.namespace, name, *@plan.dimensions.flatten, {stat:}]
        end
      end
    end
  end
end
