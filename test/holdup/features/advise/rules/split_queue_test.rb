# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class SplitQueueTest < Minitest::Test
    include Situations

    POISON = {"ReportJob" => [0.05, 300, 10, 2], "MailJob" => [0.95, 4, 40, 6]}.freeze

    def jobs
      unit("ReportJob", units: 10, blame: 90,
        cpu: 400).merge(unit("MailJob", units: 200, blame: 10, cpu: 3, stalled: 40, io: 20))
    end

    def recording
      PlayedRecording.new(kind: :job, shapes: POISON, rate: 12.0, minutes: 60, swing: 0.0, threads: 5)
    end

    # The replay has the class in a process of its own; what that brings is for all jobs.
    def test_one_class_takes_the_gvl_from_the_others
      recording = self.recording.tap { |one| one.setting = {"jobs" => "sidekiq"} }
      text = text_of(found = find(JobRules::SplitQueue, units: jobs, kind: :job, queue: "default",
        recommendation: advised(recording)))
      sentence = /\AIt causes [\d.]+ % of the GVL wait and is 4.8 % of the jobs \(queue default\)\. /
      command = /\[holdup report --kind job --by queue\]\z/
      assert_match(/#{sentence}#{command}/, text["seen"])
      beginning = /Exclude the queue from processes that take all queues \(\*\)\..* Write: /
      ending = /queue_as :report in ReportJob; bundle exec sidekiq -q report -c 1\z/
      assert_match(/#{beginning}#{ending}/, text["do"])
      assert_match(/holdup lab jobs .*holdup compare --by setting --kind job/, text["verify"])
      assert_operator found.gain, :>, 0.1
      assert_operator found.interval.begin, :>, 0
    end

    def test_words_of_other_runners
      assert_match(/queues: sales_report, threads: 1/,
        JobRules::OwnQueue.new("solid_queue", "Sales::ReportJob").change.new)
      assert_equal ["bundle exec good_job start --queues \"import:1\"", :good_job_own_queue],
        JobRules::OwnQueue.new("good_job", "ImportWorker").change.to_h.values_at(:new, :how)
      assert_nil JobRules::OwnQueue.new("rows", "ImportWorker").change
    end

    def test_nothing_for_requests_and_for_what_most_jobs_are
      assert_nil find(JobRules::SplitQueue, units: jobs), "requests have no queues"
      assert_nil find(JobRules::SplitQueue,
        units: jobs.merge(unit("ReportJob", units: 400, blame: 90, cpu: 4)),
        kind: :job, queue: "default")
    end
  end
end
