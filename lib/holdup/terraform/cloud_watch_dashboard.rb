# frozen_string_literal: true

module Holdup
  module Terraform
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
  end
end
