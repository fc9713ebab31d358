# frozen_string_literal: true

require "test_helper"
require "open3"

# Workers that Rake or a script of a Rails application runs, beside real tools.
class RakeWorkerTest < Minitest::Test
  JOBS = 3
  APPLICATION = <<~'RUBY'
    require "rails"
    require "active_job/railtie"
    require "holdup"
    $stdout.sync = true
    class Site < Rails::Application
      config.eager_load = false
      config.secret_key_base = "x" * 64
      config.logger = Logger.new($stdout)
      config.log_level = :info
      config.active_job.queue_adapter = :inline
      config.active_job.logger = nil
    end
    class CountJob < ActiveJob::Base
      def perform = 10.times { nil }
    end
    RUN = ENV.fetch("RUN", "CountJob.perform_later")
    def work
      Site.initialize! unless Site.initialized?
      JOBS.times { eval(RUN) }
      puts "measuring=#{Holdup.running?}"
    end
  RUBY
  TASKS = %w[jobs:work jobs:workoff delayed:work resque:work resque:workers app:que:work good_job:start
    qc:work solid_queue:start nightly db:migrate assets:precompile].freeze
  RAKEFILE = <<~RUBY
    JOBS = #{JOBS}
    require_relative "application"
    #{TASKS}.each { |name| task(name, [:queues]) { work } }
    task(:environment) { Site.initialize! }
    task("custom:worker" => ["environment", "jobs:work"])
    task("default" => "environment") { work }
  RUBY

  def setup
    @root = Dir.mktmpdir
    @dir = File.join(@root, "segments")
    File.write(File.join(@root, "application.rb"), APPLICATION)
    File.write(File.join(@root, "Rakefile"), RAKEFILE)
  end

  def teardown = FileUtils.remove_entry(@root)

  def run_program(*command, **env)
    FileUtils.rm_rf(@dir)
    env = {"HOLDUP_DIR" => @dir, "HOLDUP_COLLECTOR" => "off", "RAILS_ENV" => "production"}
      .merge(env.transform_keys(&:to_s))
    printed, status = Open3.capture2e(env, *ServedApp::BUNDLED_RUBY, *command, chdir: @root)
    assert_predicate status, :success?, printed
    printed
  end

  def rake(task, **) = run_program("-S", "rake", task, **)

  def jobs
    return 0 unless Dir.exist?(@dir)
    slots = Holdup::Segment::Directory.new(@dir).entries.flat_map { |entry| entry.read(&:snapshot).slots }
    slots.select { |slot| slot.series.kind == :job }.sum(&:count)
  end

  def assert_measured(printed)
    assert_equal JOBS, jobs, printed
    assert_equal 1, printed.scan("holdup: measuring").size, printed
  end

  def test_a_task_of_a_job_runner_is_measured
    assert_measured(rake("jobs:work[mails,urgent]"))
    assert_match(/holdup: measuring .*\n(?m:.*)measuring=true/, rake("custom:worker", RUN: "1"))
  end

  thorough def test_the_task_of_every_known_job_runner
    (TASKS - %w[nightly db:migrate assets:precompile]).each { |task| assert_measured(rake(task)) }
  end

  def test_an_unknown_task_is_measured_from_its_first_job_of_a_queue_on
    assert_measured(rake("nightly"))
  end

  def test_a_task_that_performs_a_job_itself_says_once_what_to_set
    printed = rake("nightly", RUN: "CountJob.perform_now")
    assert_equal 0, jobs
    assert_equal ["holdup: not measuring: `rake nightly` runs a job; HOLDUP_ENABLED=true measures it"],
      printed.lines(chomp: true).filter_map { |line| line[/holdup: .*/] }
  end

  def test_a_process_that_it_forks_for_a_job_says_what_to_set
    printed = rake("nightly", RUN: "Process.wait(fork { CountJob.perform_later; exit! })")
    assert_equal 0, jobs
    assert_match(/holdup: not measuring: `rake nightly` runs a job; HOLDUP_ENABLED=true measures it/, printed)
  end

  def test_tools_stay_unmeasured_and_silent
    %w[db:migrate assets:precompile default].each do |task|
      printed = rake(task)
      assert_equal 0, jobs, task
      refute_match(/holdup:/, printed, task)
    end
    printed = rake("nightly", HOLDUP_ENABLED: "false")
    refute_match(/holdup:/, printed)
  end

  def test_a_script_of_a_runner_is_measured_from_its_first_job_on
    printed = run_program("-e", <<~RUBY)
      JOBS = #{JOBS}
      require "./application"
      require "rails/command"
      require "rails/commands/runner/runner_command"
      command = Rails::Command::RunnerCommand.new([], {}, {})
      work
    RUBY
    assert_measured(printed)
  end

  def test_exec_measures_a_task_too
    boot = File.join(ServedApp::ROOT, "lib/holdup/agent/exec_boot")
    path = File.join(@root, "application.rb")
    File.write(path, File.read(path).sub("require \"holdup\"\n", ""))
    assert_measured(rake("jobs:work", RUBYOPT: "-r#{boot}"))
  end
end
