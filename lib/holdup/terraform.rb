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
  end
end
