# frozen_string_literal: true

require "holdup/loader"

# The runs of test/fixtures/closed_runs.csv.
module MeasuredRuns
  Run = Data.define(:set, :mix, :processes, :threads, :throughput, :held_ms, :cpu_ms, :idle_ms, :stall_ms,
    :acquisitions) do
    def demand
      Holdup::Advise::Sizing::ServiceDemand.new(held_ns: held_ms * 1e6, idle_ns: idle_ms * 1e6,
        cpu_ns: cpu_ms * 1e6,
        acquisitions:)
    end

    # What Amdahl's law says for the io share of the run, from the throughput of one thread without any
    # waiting.
    def amdahl
      threads * 1000 / (threads * held_ms + idle_ms)
    end
  end

  FILE = File.expand_path("../../../../fixtures/closed_runs.csv", __dir__)

  def self.all
    head, *rows = File.readlines(FILE, chomp: true).map { |line| line.split(",", -1) }
    rows.map { |row| run(head.zip(row).to_h) }
  end

  def self.run(row)
    Run.new(set: row["set"], mix: row["mix"], processes: row["procs"].to_i, threads: row["threads"].to_i,
      throughput: row["X"].to_f,
      held_ms: row["C_hold_ms"].to_f, cpu_ms: row["C_cpu_ms"].to_f, idle_ms: row["Z_ms"].to_f,
      stall_ms: row["stall_ms"].to_f, acquisitions: row["acq"].to_i)
  end

  # @return [Float] mean of the relative errors
  def self.error(runs)
    runs.sum { |run| (yield(run) / run.throughput - 1).abs } / runs.size
  end
end
