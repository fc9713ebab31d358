# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # The four experiments side by side, as multiples of one job alone. Of several runs the fastest counts:
      # the work is fixed, so what makes a run slower comes from outside.
      class VcpuResult
        TOLERANCE = 0.1
        # From here on jobs that hold the GVL lack a CPU too often for exact ratios.
        STARVED = 0.05

        # One experiment. `runs`: all its outcomes; `alone`: the Outcome of one job alone that the others are
        # multiples of
        Line = Data.define(:experiment, :runs, :alone) do
          def best = runs.min_by(&:in_all_ns)

          # @return [Float] multiple of one alone that each job took
          def each = best.each_ns / alone.each_ns

          # @return [Float] multiple that all took together
          def in_all = best.in_all_ns / alone.each_ns

          # @return [Float] the same as `each`, had no CPU been missing
          def undisturbed
            best.undisturbed_ns / alone.undisturbed_ns
          end

          # Every job begins with the first or when one before the server has exited.
          # @return [Float] the same as `in_all`, had no CPU been missing
          def undisturbed_in_all
            undisturbed * experiment.jobs.fdiv(experiment.at_once)
          end

          # @return [Float] how much of the elapsed time CPUs were not missing
          def quiet
            undisturbed_in_all * alone.undisturbed_ns / best.in_all_ns
          end

          # @return [Float] CPUs that the processes used, had none been missing
          def undisturbed_cores = best.cores / quiet

          # @return [Float] multiple of the CPU time for the same work
          def cpu = best.cpu_ns / alone.cpu_ns

          # @return [Float] how much slower than the fastest the slowest run was
          def spread
            runs.map(&:in_all_ns).max.fdiv(best.in_all_ns) - 1
          end

          def expected = experiment.expected(best.vcpus)

          # @return [Boolean] whether it came out as theory says
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
          @lines ||= @outcomes.map { |experiment, runs| Line.new(experiment:, runs:, alone:) }
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

        # @return [Analysis::CpuCeiling] of the one process that the team had
        def ceiling = line(:threads).best.ceiling(1)

        # @return [Boolean] whether an alarm on the container's CPU would have fired
        def alarm?(line) = line.best.cpu_share >= target

        # @return [Array<Line>] that came out otherwise than theory says, on a machine that had CPUs to spare
        def doubtful
          starved? ? [] : lines.reject(&:as_expected?)
        end

        # @return [Boolean] whether something else on the machine took so much CPU that ratios are off
        def starved?
          starved_share > STARVED && !lines.all?(&:as_expected?)
        end

        # Fewer vCPUs than processes: that they lack one is the result, not a disturbance.
        # @return [Float] the largest share of their time in which jobs held the GVL and had no CPU
        def starved_share
          sharing = lines.select { |line| line.experiment.processes <= vcpus }
          sharing.map { |line| line.best.starved_share }.max
        end

        # @return [Integer] runs of each
        def repeats = @outcomes.values.first.size

        # What Holdup measured in one run. Pure: windows in, figures out.
        class ExperimentOutcome
          # Below this share of the elapsed time the cause of the stall does not matter.
          NOTABLE = 0.01
          # Totals of processes are in the units already.
          KINDS = Series::KINDS - Series::VIEWS

          # One job. Durations in ns; `queued_ns` since it was put into the queue.
          Job = Data.define(:name, :queued_ns, :wall_ns, :running_ns, :stalled_ns, :split) do
            # @return [Integer] ns since it was put into the queue
            def done_ns = queued_ns + wall_ns
          end

          # @param windows [Array<Holdup::Window>] of KINDS
          def initialize(windows)
            @windows = windows
            @summary = Analysis::Summary.new(windows, from_s: 0, to_s: 1 << 40)
          end

          # @return [Array<Job>] in the order in which they were put into the queue
          def jobs
            @jobs ||= @summary.rows.map { |row| job(row) }.sort_by(&:name)
          end

          # @return [Boolean] whether each of that many jobs was measured, once
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

          # @return [Float] CPU time that one job took, ns
          def cpu_ns
            jobs.sum { |job| job.split.cpu }.fdiv(jobs.size)
          end

          # @return [Float] of the jobs' elapsed time: they held the GVL and had no CPU
          def starved_share
            jobs.sum { |job| job.split.starved }.fdiv(jobs.sum(&:wall_ns))
          end

          # What a job would have taken with a CPU for every thread that holds the GVL: without the time that
          # it lacked a CPU itself, and without the part of its stall in which the holder lacked one.
          # @return [Float] ns, mean of the jobs
          def undisturbed_ns
            starved_ns = jobs.sum { |job| job.split.starved }
            stall_ns = mean(:stalled_ns) * starved_ns.fdiv(jobs.sum(&:running_ns))
            each_ns - starved_ns.fdiv(jobs.size) - stall_ns
          end

          # How much of the jobs' stall other jobs caused. Holdup measures what threads outside of jobs and
          # the hand-off caused; the rest can only come from another job, so it is at least that much.
          # @return [Float, nil] 0.0 .. 1.0; nil when there was next to no stall
          def caused_by_job
            stalled = jobs.sum(&:stalled_ns)
            return if stalled < jobs.sum(&:wall_ns) * NOTABLE
            [stalled - blame.accounts.sum(&:caused) - blame.handoff_ns, 0].max.fdiv(stalled)
          end

          # @return [Float] CPUs that the processes used on average, all their threads together
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
