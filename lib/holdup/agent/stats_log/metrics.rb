# frozen_string_literal: true

module Holdup
  class StatsLog
    # The figures of a line that make a metric, with CloudWatch's units: the one table for lines in its
    # embedded metric format and for `holdup terraform`.
    module Metrics
      UNITS = {
        "units" => "Count", "units_per_s" => "Count/Second", "errors" => "Count", "running_share" => "None", "stalled_share" => "None",
        "idle_share" => "None", "wall_p50_ms" => "Milliseconds", "wall_p95_ms" => "Milliseconds", "stalled_p95_ms" => "Milliseconds",
        "queued_p95_ms" => "Milliseconds", "cpu_share" => "None", "rss_bytes" => "Bytes",
        "jit_on" => "None", "jit_warm" => "None", "jit_effective" => "None", "jit_saturated" => "None", "jit_used_share" => "None",
        "jit_code_bytes" => "Bytes", "jit_metadata_bytes" => "Bytes", "jit_memory_bytes" => "Bytes", "jit_compiled_iseqs" => "Count",
        "jit_invalidations_delta" => "Count", "jit_interpreted_per_unit" => "Count", "jit_ratio_in_yjit" => "Percent"
      }.freeze
    end
  end
end
