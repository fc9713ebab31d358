# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # The four experiments side by side, as multiples of one job alone. The fastest run of each counts: the
      # work is fixed, so other causes make a run slower.
      class VcpuResult
        TOLERANCE = 0.1

        # One experiment. `runs`: all its outcomes; `alone`: the ExperimentOutcome of one job alone, the unit
        # of all multiples
        ExperimentLine = Data.define(:experiment, :runs, :alone) do
          def best = runs.min_by(&:in_all_ns)

          # @return [Float] time of each job, as a multiple of one alone
          def each = best.each_ns / alone.each_ns

          # @return [Float] time of all together, as a multiple of one alone
          def in_all = best.in_all_ns / alone.each_ns

          # @return [Float] `each` without the waits for a CPU
          def undisturbed
            best.undisturbed_ns / alone.undisturbed_ns
          end

          # Every job begins with the first or after another has ended.
          # @return [Float] `in_all` without the waits for a CPU
          def undisturbed_in_all
            undisturbed * experiment.jobs.fdiv(experiment.at_once)
          end

          # @return [Float] share of the elapsed time without waits for a CPU
          def quiet
            undisturbed_in_all * alone.undisturbed_ns / best.in_all_ns
          end

          # @return [Float] CPUs that the processes would have used without waits for a CPU
          def undisturbed_cores = best.cores / quiet

          # @return [Float] CPU time for the same work, as a multiple of one alone
          def cpu = best.cpu_ns / alone.cpu_ns

          # @return [Float] how much slower the slowest run was than the fastest
          def spread
            runs.map(&:in_all_ns).max.fdiv(best.in_all_ns) - 1
          end

          def expected = experiment.expected(best.vcpus)

          # @return [Boolean] whether it agrees with theory
          def as_expected?
            near?(each, expected.each) && near?(in_all, expected.in_all)
          end

          def near?(measured, theory)
            (measured / theory - 1).abs <= TOLERANCE
          end
          private :near?
        end

        attr_reader :target

        # @param target [Float] of the autoscaling, 0.0..1.0 of the container's CPU
        def initialize(outcomes, target:)
          @outcomes = outcomes
          @target = target
        end

        def lines
          @lines ||= @outcomes.map { |experiment, runs| ExperimentLine.new(experiment:, runs:, alone:) }
        end

        # @param name [Symbol] of an experiment
        def line(name)
          lines.find { |line| line.experiment.name == name }
        end

        # @return [ExperimentOutcome] of one job alone
        def alone
          @alone ||= @outcomes.find { |experiment, _| experiment.name == :alone }.last.min_by(&:in_all_ns)
        end

        def vcpus = alone.vcpus

        # @return [Analysis::CpuCeiling] of one process
        def ceiling = line(:threads).best.ceiling(1)

        # @return [Boolean] whether an alarm on the container's CPU would have fired
        def alarm?(line) = line.best.cpu_share >= target

        # @return [Array<ExperimentLine>] that differ from theory although CPUs were idle
        def doubtful
          starved? ? [] : lines.reject(&:as_expected?)
        end

        # @return [Boolean] whether other load took so much CPU that the ratios are wrong
        def starved?
          starved_share > Analysis::Thresholds::STARVED && !lines.all?(&:as_expected?)
        end

        # Leaves out experiments with more processes than vCPUs: there a lack of CPUs is the result, not a
        # disturbance.
        # @return [Float] the largest share of the jobs' time in which they held the GVL and had no CPU
        def starved_share
          sharing = lines.select { |line| line.experiment.processes <= vcpus }
          sharing.map { |line| line.best.starved_share }.max
        end

        # @return [Integer] runs of each experiment
        def repeats = @outcomes.values.first.size

        # Holdup's measurements of one run. Pure: windows in, figures out.
        class ExperimentOutcome
          # The stall's cause does not matter below this share of the elapsed time.
          NOTABLE = 0.01
          # The jobs' windows already include the totals of processes.
          KINDS = Series::KINDS - Series::VIEWS

          # One job. Durations in ns; `queued_ns` since it was enqueued.
          Job = Data.define(:name, :queued_ns, :wall_ns, :running_ns, :stalled_ns, :split) do
            # @return [Integer] ns since it was enqueued
            def done_ns = queued_ns + wall_ns
          end

          # @param windows [Array<Holdup::Window>] of KINDS
          def initialize(windows)
            @windows = windows
            @summary = Analysis::Summary.new(windows, from_s: 0, to_s: 1 << 40)
          end

          # @return [Array<Job>] in the order of the queue
          def jobs
            @jobs ||= @summary.rows.map { |row| job(row) }.sort_by(&:name)
          end

          # @return [Boolean] whether it measured that number of jobs, each once
          def complete?(count)
            @summary.rows.map(&:count) == [1] * count
          end

          # @return [Float] ns, mean of the jobs
          def each_ns = mean(:wall_ns)

          # @param key [Symbol] of Job
          # @return [Float] ns, mean of the jobs
          def mean(key) = jobs.sum(&key).fdiv(jobs.size)

          # @return [Integer] ns from the start of the first job to the end of the last
          def in_all_ns
            jobs.map(&:done_ns).max - jobs.map(&:queued_ns).min
          end

          # @return [Float] CPU time of one job, ns
          def cpu_ns
            jobs.sum { |job| job.split.cpu }.fdiv(jobs.size)
          end

          # @return [Float] share of the jobs' elapsed time in which they held the GVL and had no CPU
          def starved_share
            jobs.sum { |job| job.split.starved }.fdiv(jobs.sum(&:wall_ns))
          end

          # A job's time with a CPU for every thread that holds the GVL: without its own waits for a CPU, and
          # without the part of its stall in which the holder waited for one.
          # @return [Float] ns, mean of the jobs
          def undisturbed_ns
            starved_ns = jobs.sum { |job| job.split.starved }
            stall_ns = mean(:stalled_ns) * starved_ns.fdiv(jobs.sum(&:running_ns))
            each_ns - starved_ns.fdiv(jobs.size) - stall_ns
          end

          # Share of the jobs' stall that other jobs caused, at least. Holdup measures the part from threads
          # outside jobs and from the hand-off; the rest can only come from other jobs.
          # @return [Float, nil] 0.0 .. 1.0; nil when there was hardly any stall
          def caused_by_job
            stalled = jobs.sum(&:stalled_ns)
            return if stalled < jobs.sum(&:wall_ns) * NOTABLE
            [stalled - blame.accounts.sum(&:caused) - blame.handoff_ns, 0].max.fdiv(stalled)
          end

          # @return [Float] CPUs that all threads of the processes used on average
          def cores
            used_ns = @windows.sum { |window| sign(window) * window.sums.values_at(:cpu_ns, :native_ns).sum }
            used_ns.fdiv(in_all_ns)
          end

          # @return [Numeric] of the container
          def vcpus
            setting["vcpus"] || setting["cpus"]
          end

          # @return [Float] share of the container's vCPUs that the processes used
          def cpu_share = cores / vcpus

          def ceiling(processes)
            native_ratio = Analysis::CpuCeiling.native_ratio(@windows)
            Analysis::CpuCeiling.new(vcpus:, processes:, native_ratio:)
          end

          # @return [Setting] of its processes
          def setting = @windows.find(&:setting).setting

          private

          def blame = @summary.blame

          def sign(window)
            (window.series.kind == :nested) ? -1 : 1
          end

          def job(row)
            Job.new(
              name: row.name,
              queued_ns: row.histogram(:queued).sum,
              wall_ns: row.wall_ns,
              running_ns: row.histogram(:running).sum,
              stalled_ns: row.stalled_ns,
              split: row.split
            )
          end
        end
      end
    end
  end
end
