# frozen_string_literal: true

require_relative "series"
require_relative "setting"

module Holdup
  # One unit, drawn from the ring of its process. Replays take samples as input, and samples show how units
  # depend on each other. Windows count all units but show no single one; samples show some of them.
  #
  # - `series`, `setting`, `host`; `process`: SampledProcess, in which it ran
  # - `start_ns`: since 1970; durations in ns, to the microsecond. wall = running + idle + stalled
  # - `queued_ns`: nil when unknown
  # - `in_flight_milli`: mean number of units in its process, itself included, while it ran (not while it
  #   waited), in 1/1000
  # - `trace`: id of its trace, 32 hexadecimal digits, or nil
  # - `weight`: how many units it stands for, because a block keeps only some
  # - `concurrency`: units in flight in its process at its start; `rest_ns`: how long there were none before;
  #   nil when unknown
  UnitSample = Data.define(
    :series, :setting, :host, :process, :start_ns, :running_ns, :cpu_ns, :idle_ns, :stalled_ns, :acquisitions,
    :longest_hold_ns, :gc_ns, :queued_ns, :in_flight_milli, :weight, :concurrency, :rest_ns, :trace
  ) do
    def initialize(concurrency: nil, rest_ns: nil, trace: nil, **rest)
      super
    end

    def wall_ns = running_ns + idle_ns + stalled_ns

    def end_ns = start_ns + wall_ns

    def in_flight = in_flight_milli / 1000.0

    # How long its process had been measured at its start.
    def age_ns = start_ns - process.since_ns
  end

  # `since_ns`: start of the measurement. Together with the pid it identifies a process permanently.
  UnitSample::SampledProcess = Data.define(:pid, :since_ns)
end
