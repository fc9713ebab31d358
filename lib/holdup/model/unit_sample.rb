# frozen_string_literal: true

require_relative "series"
require_relative "setting"

module Holdup
  # One unit as it was, drawn from the rings of the processes: what replays are fed with, and what shows how
  # units depend on each other. Windows have all units and no single one; samples have some units, singly.
  #
  # - `series`, `setting`, `host`; `process`: SampledProcess, in which it ran
  # - `start_ns`: since 1970; durations in ns, to the microsecond. wall = running + idle + stalled
  # - `queued_ns`: nil when unknown
  # - `in_flight_milli`: a thousandth of the mean number of units in its process while it was running (not
  #   while it waited), itself included
  # - `trace`: id of the trace that it belongs to, 32 hexadecimal digits; nil for none
  # - `weight`: how many units it stands for: of its ten minutes only so many are kept
  # - `concurrency`: units in flight in its process when it began; `rest_ns`: for how long there had been
  #   none; nil when unknown
  UnitSample = Data.define(
    :series, :setting, :host, :process, :start_ns, :running_ns, :cpu_ns, :idle_ns, :stalled_ns, :acquisitions,
    :longest_hold_ns, :gc_ns, :queued_ns, :in_flight_milli, :weight, :concurrency, :rest_ns, :trace
  ) do
    def initialize(concurrency: nil, rest_ns: nil, trace: nil, **rest)
      super
    end

    def wall_ns = running_ns + idle_ns + stalled_ns

    # @return [Integer] since 1970
    def end_ns = start_ns + wall_ns

    # @return [Float] mean number of units in its process
    def in_flight = in_flight_milli / 1000.0

    # @return [Integer] how long its process had been measured when it started
    def age_ns = start_ns - process.since_ns
  end

  # `since_ns`: since when it is measured. With the pid it names a process for ever.
  UnitSample::SampledProcess = Data.define(:pid, :since_ns)
end
