# frozen_string_literal: true

require "holdup/loader"

# Outcomes of the experiments as a collector would have stored them: of jobs of a second on a machine of one's
# choice.
class SampleOutcomes
  LAB = Holdup::Lab::SidekiqVcpu
  MS = 1_000_000
  ALONE = {"JobA" => {cpu: 1000}}.freeze
  THREADS = {"JobA" => {cpu: 1000, stalled: 990, caused: 1000},
             "JobB" => {cpu: 1000, stalled: 1000, caused: 990}}.freeze
  SERIAL = {"JobA" => {cpu: 1000}, "JobB" => {cpu: 1000, queued: 1000}}.freeze
  PROCESSES = {"JobA" => {cpu: 1000}, "JobB" => {cpu: 1000}}.freeze

  # @param vcpus [Numeric]
  def initialize(vcpus: 2)
    @writer = SampleWindows.new(kind: :job, queue: "holdup-lab",
      setting: {"vcpus" => vcpus, "ruby" => "3.4.5", "jobs_version" => "8.1.7"})
  end

  # @param jobs [Hash{String => Hash{Symbol => Numeric}}] milliseconds: cpu, starved, io, stalled, queued,
  #   caused
  # @param handoff [Numeric] milliseconds
  # @param account [Numeric] milliseconds of stall that threads outside of jobs caused
  # @return [Outcome]
  def outcome(jobs, handoff: 0, account: 0)
    windows = jobs.map { |name, states| job(name, states) }
    LAB::VcpuResult::ExperimentOutcome.new([*windows, other("thread:sidekiq.heartbeat", account),
      other("(handoff)", handoff)])
  end

  # @param changed [Hash{Symbol => Array<Outcome>}] instead of what theory says, by the experiment's name
  # @return [Result]
  def result(target: 0.6, **changed)
    runs = {alone: [outcome(ALONE)], threads: [outcome(THREADS)], serial: [outcome(SERIAL)],
            processes: [outcome(PROCESSES)]}.merge(changed)
    LAB::VcpuResult.new(LAB::EXPERIMENTS.to_h { |experiment| [experiment, runs.fetch(experiment.name)] },
      target:)
  end

  private

  def job(name, states)
    ns = Hash.new(0).merge(states.transform_values { |ms| (ms * MS).round })
    running = ns[:cpu] + ns[:starved]
    histograms = {wall: running + ns[:stalled] + ns[:io], running:, stalled: ns[:stalled], idle: ns[:io],
                  queued: ns[:queued] + MS}
    @writer.window(
      name,
      count: 1,
      histograms: histograms.transform_values { |value| Holdup::Histogram.of([value]) },
      sums: {cpu_ns: ns[:cpu], starved_ns: ns[:starved], io_ns: ns[:io], caused_ns: ns[:caused]}
    )
  end

  def other(name, caused)
    @writer.window(name, kind: :account, queue: nil, sums: {caused_ns: (caused * MS).round, cpu_ns: MS})
  end
end
