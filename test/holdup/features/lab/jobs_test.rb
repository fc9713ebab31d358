# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::JobsTest < Minitest::Test
  include TemporaryFolder

  Jobs = Holdup::Lab::Jobs
  Taken = Data.define(:windows, :samples, :unit_samples)

  # A Sidekiq whose jobs are known.
  class Run
    attr_reader :ran

    # @param fails [Exception, nil] at 20 threads
    def initialize(fails: nil)
      @fails = fails
      @ran = []
    end

    def new(threads, keep:, progress:, **)
      @threads = threads
      @keep = keep
      @progress = progress
      self
    end

    def call(**)
      @progress.call(:count)
      raise @fails if @fails && @threads == 20
      @ran << @threads
      PlayedJobs.new.outcome(@threads, seed: @ran.size).tap { |outcome|
        @keep.call(Taken.new(windows: [:window], samples: [:sample], unit_samples: outcome.unit_samples))
      }
    end
  end

  def path = File.join(folder, "jobs.json")

  def jobs(ledger = Jobs::JobLog.new(path, PlayedJobs.plan), run: Run.new, **options)
    @steps = []
    Jobs.new(
      ledger,
      env: {},
      redis_url: "redis://nowhere",
      run:,
      progress: ->(number, of, doing, arm:, **facts) { @steps << [number, of, doing, arm.name, facts] },
      **options
    ).call
  end

  def test_runs_each_concurrency_in_each_round_the_baseline_twice
    result = jobs(run: run = Run.new)
    assert_equal [5, 5, 1, 20, 5, 5, 20, 1], run.ran
    assert_equal [2, 8, :count, "-c 5 (again)", {seconds: 1}], @steps[1]
    assert_equal [0, [1, 5, 20], 2], [result.left, result.lines.map(&:threads), result.again.readings.size]
  end

  one_ruby def test_all_of_it_is_in_the_file
    result = jobs
    kept = Jobs::JobsResult.new(Jobs::JobLog.open(path))
    assert_equal [result.plan, 0], [kept.plan, kept.left]
    result.lines.zip(kept.lines) { |one, other|
      assert_equal [one.measured, one.predicted, one.error(:amdahl)],
        [other.measured, other.predicted, other.error(:amdahl)]
    }
    assert_equal result.setting, kept.setting
  end

  def test_ctrl_c_keeps_what_was_measured_and_goes_on_later
    result = jobs(run: Run.new(fails: Interrupt.new))
    assert_equal [2, 5, 3], [result.signal, result.left, Jobs::JobLog.open(path).readings.size]
    jobs(Jobs::JobLog.open(path), run: run = Run.new)
    assert_equal [[20, 5, 5, 20, 1], [4, 5, 6, 7, 8]], [run.ran, @steps.map(&:first)]
  end

  one_ruby def test_reports_a_failed_run_and_keeps_the_others
    result = jobs(run: Run.new(fails: Holdup::Error.new("no sidekiq")))
    assert_equal ["no sidekiq", 5, 3],
      [result.failure.message, result.left, Jobs::JobLog.open(path).readings.size]
    assert_raises(Holdup::Error) {
      jobs(Jobs::JobLog.new(path, PlayedJobs.plan([20, 5]).with(baseline: 20)),
        run: Run.new(fails: Holdup::Error.new("no sidekiq")))
    }
  end

  def test_ctrl_c_before_anything_was_measured
    assert_raises(Interrupt) {
      jobs(
        Jobs::JobLog.new(path, PlayedJobs.plan([20, 5]).with(baseline: 20)),
        run: Run.new(fails: Interrupt.new)
      )
    }
  end

  def test_a_store_gets_what_was_measured
    kept = []
    store = Object.new
    store.define_singleton_method(:commit) { |windows, _checkpoints, processes:, unit_samples:|
      kept << [windows, processes, unit_samples.sum(&:seen)]
    }
    jobs(Jobs::JobLog.new(path, PlayedJobs.plan([5], rounds: 1, again: false)), store:)
    assert_equal [[[:window], [:sample], PlayedJobs::JOBS]], kept
  end

  def test_rejects_a_file_of_something_else
    File.write(path, '{"kind":"holdup sweep","schema":1}')
    assert_match(/was not written by this version; name the file that `holdup lab jobs` wrote/,
      assert_raises(Holdup::Error) { Jobs::JobLog.open(path) }.message)
  end
end
