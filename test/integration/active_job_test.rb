# frozen_string_literal: true

require "test_helper"

# Active Job with the adapters that come with Rails, in the processes of Puma. Other runners have tests of
# their own.
class ActiveJobIntegrationTest < Minitest::Test
  def serve(adapter, &)
    JobApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb",
      adapter:, processes: nil, env: {"WITH_HOLDUP" => "1", "WITH_PLUGIN" => "1"}, &)
  end

  # Answers are sent before their units end.
  def answered(app, expected)
    app.wait { app.requests.to_h { |slot| [slot.series.name, [slot.count, slot.errors]] } == expected }
  end

  def test_jobs_in_threads_of_the_web_server
    serve("async") do |app|
      4.times { app.get("/enqueue") }
      assert_equal({"MailJob" => 4}, app.counted({"MailJob" => 4}))
      answered(app, {"VisitsController#create" => [4, 0]})
      assert_empty app.calls_of("VisitsController#create")
      assert_equal ["mails", 4],
        app.unit("MailJob").then { |unit| [unit.series.queue, unit.histogram(:queued).count] }
    end
  end

  def test_jobs_inside_of_requests_and_a_job_that_forks
    serve("inline") do |app|
      2.times { app.get("/enqueue") }
      %w[MailJob OuterJob BrokenJob ForkingJob].each { |job| app.get("/now?job=#{job}") }
      answered(app, {"VisitsController#create" => [2, 0], "VisitsController#show" => [4, 1]})
      assert_equal({"MailJob" => 5, "OuterJob" => 1, "BrokenJob" => 1, "ForkingJob" => 1}, app.counts)
      assert_equal({"BrokenJob" => 1},
        app.units.to_h { |slot| [slot.series.name, slot.errors] }.reject { |_, errors| errors.zero? })
      assert_equal [["MailJob"], %w[BrokenJob ForkingJob MailJob OuterJob]],
        app.snapshots.map { |snapshot| jobs(snapshot) }.sort_by(&:size)
      assert_equal({"sql primary" => 5}, app.calls_of("MailJob").slice("sql primary"))
      assert_equal({"subprocess" => 1}, app.calls_of("ForkingJob"))
    end
  end

  # @return [Array<String>] names of the jobs that this process ran: what the forked child ran is the child's
  def jobs(snapshot)
    snapshot.slots.compact.map(&:series).select { |series| series.kind == :job }.map(&:name).sort
  end
end
