# frozen_string_literal: true

module Holdup
  # Terraform code that turns lines of statistics into metrics, alarms and a dashboard in CloudWatch. The text
  # names what is billed.
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

      # Of the metrics; filters make none, since each one is billed.
      def dimensions
        filters? ? {} : {"app" => app, "server" => server}.compact
      end

      # Unique to the application.
      def named(name)
        ["holdup", app, server, name].compact.join("-")
      end
    end

    def self.write(plan)
      blocks = variables(plan)
      blocks += Filters.new(plan).blocks if plan.filters?
      blocks += Alarms.new(plan).blocks
      blocks << CloudWatchDashboard.new(plan).block
      [head(plan), *blocks.map { |block| Hcl.render(block) }].join("\n")
    end

    def self.head(plan)
      parts = "#{billed_metrics(plan)}, #{Alarms::ALL.size} alarms and a dashboard"
      <<~HCL
        # #{parts} for Holdup's lines of statistics. Custom
        # metrics, alarms and dashboards are billed: see your region's prices.
      HCL
    end

    def self.billed_metrics(plan)
      count = StatsLog::Metrics::UNITS.size
      return "#{count} metric filters (each makes a custom metric)" if plan.filters?
      "no metric filter (lines in the embedded metric format need none; " \
        "each of their figures is a custom metric)"
    end

    def self.variables(plan)
      description = "Log group that the lines of statistics are in"
      log_group = variable("holdup_log_group", description, plan.log_group)
      region = variable("holdup_region", "Region of the dashboard's metrics", plan.region)
      [alarm_actions, *(log_group if plan.filters?), region]
    end

    def self.alarm_actions
      Hcl::Block.new("variable", ["holdup_alarm_actions"],
        {description: "ARNs of what to tell, such as an SNS topic", type: Hcl::Code.new("list(string)"),
         default: []})
    end

    # Without a default, Terraform asks for it.
    def self.variable(name, description, default)
      Hcl::Block.new("variable", [name], {description:, type: Hcl::Code.new("string"), default:}.compact)
    end
    private_class_method :head, :billed_metrics, :variables, :alarm_actions, :variable

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

    # One page: throughput and latency, where the time went, memory, and the state of the JIT.
    class CloudWatchDashboard
      # Title => metric => statistic.
      WIDGETS = {
        "Units" => {"units" => "Sum", "errors" => "Sum"},
        "Time of a unit (ms), worst process" => {"wall_p50_ms" => "Maximum", "wall_p95_ms" => "Maximum",
                                                 "stalled_p95_ms" => "Maximum", "queued_p95_ms" => "Maximum"},
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
      PERIOD_S = 300

      def initialize(plan)
        @plan = plan
      end

      def block
        widgets = WIDGETS.each_with_index.map { |(title, metrics), index| widget(title, metrics, index) }
        body = Hcl.value({widgets:})
        Hcl::Block.new("resource", %w[aws_cloudwatch_dashboard holdup],
          {dashboard_name: @plan.named("jit"), dashboard_body: Hcl::Code.new("jsonencode(#{body})")})
      end

      private

      def widget(title, metrics, index)
        row, column = index.divmod(COLUMNS)
        properties = {title:, view: "timeSeries", region: Hcl::Code.new("var.holdup_region"),
                      period: PERIOD_S, metrics: metrics.map { |name, stat| metric(name, stat) }}
        {type: "metric", x: column * WIDTH, y: row * HEIGHT, width: WIDTH, height: HEIGHT, properties:}
      end

      def metric(name, stat)
        [@plan.namespace, name, *@plan.dimensions.flatten, Hcl::Code.new("{ stat = #{Hcl.quote(stat)} }")]
      end
    end

    # Writes Terraform's language (HCL 2) laid out as `terraform fmt` does.
    module Hcl
      # An expression, written as it is. In a String, "${" is escaped.
      Code = Data.define(:text)

      Block = Data.define(:type, :labels, :attributes, :blocks) do
        def initialize(type:, labels:, attributes:, blocks: [])
          super
        end
      end

      ESCAPES = {"\\" => "\\\\", "\"" => "\\\"", "\n" => "\\n", "\r" => "\\r", "\t" => "\\t", "${" => "$${",
                 "%{" => "%%{"}.freeze
      INDENT = "  "

      module_function

      # @return [String] ends with a newline
      def render(block)
        head = [block.type, *block.labels.map { |label| quote(label) }].join(" ")
        parts = [attributes(block.attributes), *block.blocks.map { |inner| render(inner) }]
        "#{head} {\n#{indent(parts.reject(&:empty?).join("\n"))}}\n"
      end

      def value(value)
        case value
        when String then quote(value)
        when Code then value.text
        when Array then array(value)
        when Hash then value.empty? ? "{}" : "{\n#{indent(attributes(value))}}"
        when nil then "null"
        else value.to_s
        end
      end

      # @return [String] a literal, without interpolation
      def quote(text)
        "\"#{text.gsub(/[\\"\n\r\t]|[$%]\{/, ESCAPES)}\""
      end

      # One per line. `terraform fmt` aligns the equal signs of neighbours that take one line each.
      def attributes(pairs)
        written = pairs.map { |name, given| [name.to_s, value(given)] }
        groups = written.slice_when { |*neighbours| neighbours.any? { |_, text| text.include?("\n") } }
        groups.map { |group| aligned(group) }.join
      end

      def aligned(group)
        width = group.map { |name, _| name.size }.max
        group.map { |name, text| "#{name.ljust(width)} = #{text}\n" }.join
      end

      def array(values)
        parts = values.map { |each| value(each) }
        return "[#{parts.join(", ")}]" if parts.none? { |part| part.include?("\n") } && parts.sum(&:size) < 80
        "[\n#{indent(parts.map { |part| "#{part},\n" }.join)}]"
      end

      def indent(text) = text.gsub(/^(?=.)/, INDENT)
      private_class_method :attributes, :aligned, :array, :indent
    end
  end
end
