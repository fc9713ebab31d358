# frozen_string_literal: true

require "test_helper"

# Active Job with the adapters that come with Rails, in the processes of Puma. Other runners have tests of their own.
class ActiveJobIntegrationTest < Minitest::Test
  def serve(adapter, &)
    JobApp.serve("bundle", "exec", "puma", "-C", "puma.rb", adapter:, processes: nil, env: {"WITH_HOLDUP" => "1", "WITH_PLUGIN" => "1"}, &)
  end

  def requests(app) = app.requests.to_h { |slot| [slot.series.name, [slot.count, slot.errors]] }

  def test_jobs_in_threads_beside_the_requests
    serve("async") do |app|
      4.times { app.get("/enqueue") }
      app.counted({"MailJob" => 4})
      app.stop
      assert_equal({"MailJob" => 4}, app.counts)
      assert_equal({"VisitsController#create" => [4, 0]}, requests(app))
      assert_equal ["mails", 4], app.unit("MailJob").then { |unit| [unit.series.queue, unit.histogram(:queued).count] }
    end
  end

  def test_jobs_inside_of_requests
    serve("inline") do |app|
      2.times { app.get("/enqueue") }
      %w[MailJob OuterJob BrokenJob].each { |job| app.get("/now?job=#{job}") }
      app.stop
      assert_equal({"MailJob" => 4, "OuterJob" => 1, "BrokenJob" => 1}, app.counts)
      assert_equal({"VisitsController#create" => [2, 0], "VisitsController#show" => [3, 1]}, requests(app))
      assert_equal [0, 1], %w[MailJob BrokenJob].map { |job| app.unit(job).errors }
    end
  end

  # What is nested counts in both: the request's wall is no shorter than that of the job that it ran.
  def test_a_job_that_forks_is_one_unit_and_what_the_child_runs_is_the_childs
    serve("inline") do |app|
      app.get("/now?job=ForkingJob")
      app.stop
      assert_equal({"ForkingJob" => 1, "MailJob" => 1}, app.counts)
      assert_equal [%w[ForkingJob], %w[MailJob]], app.snapshots.map { |snapshot| snapshot.slots.compact.select { |slot| slot.series.kind == :job }.map { |slot| slot.series.name } }.sort
      request, job = app.requests.first.histogram(:wall).sum, app.unit("ForkingJob").histogram(:wall).sum
      assert_operator request, :>=, job
    end
  end
end
