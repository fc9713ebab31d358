# frozen_string_literal: true

module Holdup
  # What turns lines of statistics into metrics, alarms and a dashboard in CloudWatch, written for Terraform.
  # Only text comes out: nothing here speaks to anybody, and what it costs is said in it.
  module Terraform
    # @param plan [Plan]
    # @return [String] a file in Terraform's language
    def self.write(plan)
      parts = [*variables(plan), *(plan.filters? ? Filters.new(plan).blocks : []), *Alarms.new(plan).blocks,
        Dashboard.new(plan).block]
      [head(plan), *parts.map { |block| Hcl.render(block) }].join("\n")
    end

    def self.head(plan)
      count = StatsLog::Metrics::UNITS.size
      kinds = plan.filters? ? "#{count} metric filters (each makes a custom metric)" : "no metric filter (lines in the embedded metric format need none; each of their figures is a custom metric)"
      <<~HCL
        # #{kinds}, #{Alarms::ALL.size} alarms and a dashboard for Holdup's lines of statistics. Custom
        # metrics, alarms and dashboards are billed: see your region's prices.
      HCL
    end

    def self.variables(plan)
      [Hcl::Block.new("variable", ["holdup_alarm_actions"], {description: "ARNs of what to tell, such as an SNS topic", type: Hcl::Code.new("list(string)"), default: []}),
        (if plan.filters?
           variable("holdup_log_group", "Log group that the lines of statistics are in", plan.log_group)
         end),
        variable("holdup_region", "Region of the dashboard's metrics", plan.region)].compact
    end

    # Without a default, Terraform asks for it.
    def self.variable(name, description, default)
      Hcl::Block.new("variable", [name], {description:, type: Hcl::Code.new("string"), default:}.compact)
    end
    private_class_method :head, :variables, :variable
  end
end
