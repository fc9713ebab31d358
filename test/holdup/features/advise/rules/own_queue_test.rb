# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Rules::OwnQueueTest < Minitest::Test
  OwnQueue = Holdup::Advise::Rules::JobRules::OwnQueue

  def test_the_queue_is_called_after_the_job
    names = {"ReportJob" => "report", "Sales::PDFReportJob" => "sales_pdfreport", "ImportWorker" => "import",
             "Mail2User" => "mail2_user", "Jobber" => "jobber"}
    names.each { |job, queue| assert_equal queue, OwnQueue.new("sidekiq", job).queue, job }
  end

  def test_the_change_is_that_of_the_job_runner
    change = OwnQueue.new("sidekiq", "ReportJob").change
    assert_includes change.new, "-q report -c 1"
    assert_equal({"queue" => "report", "job" => "ReportJob"}, change.facts)
  end

  def test_no_change_for_a_runner_that_is_not_known
    assert_nil OwnQueue.new("backburner", "ReportJob").change
    assert_nil OwnQueue.new(nil, "ReportJob").change
    assert_nil OwnQueue.new("puma", "ReportJob").change, "it runs no jobs"
  end
end
