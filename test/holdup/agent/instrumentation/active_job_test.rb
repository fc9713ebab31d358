# frozen_string_literal: true

require "test_helper"
require "active_job"
require "action_mailer"
require "holdup/agent/instrumentation/active_job"
require "holdup/agent/instrumentation/job_units"
require "holdup/agent/recorder"

class Holdup::Instrumentation::ActiveJobTest < Minitest::Test
  Boom = Class.new(StandardError)
  Fleeting = Class.new(StandardError)
  Useless = Class.new(StandardError)

  # A base of its own, as an application has one: the callback of this test is not everybody's.
  class Base < ActiveJob::Base
    self.logger = nil
    retry_on Fleeting, attempts: 2, wait: 0, queue: :later
    discard_on Useless
    around_perform do |job, block|
      job.inside = Holdup::Recorder::OpenUnit.current
      block.call
    end
    attr_accessor :inside
  end

  class MailJob < Base
    queue_as :mails

    def perform(error = nil)
      error ? raise(error.constantize) : :sent
    end
  end

  class UserMailer < ActionMailer::Base
  end

  class ReportJob < Base
    def perform = MailJob.perform_now
  end

  # Keeps what is enqueued as an adapter's store would.
  class Shelf
    attr_reader :kept

    def initialize = @kept = []

    def enqueue(job) = @kept << job.serialize

    def enqueue_at(job, _) = enqueue(job)

    def enqueue_after_transaction_commit? = false

    def stopping? = false
  end

  def setup
    @probe = RecordingProbe.new
    @clock = HandClock.new(realtime_ns: 1_700_000_000_123_456_789)
    recorder = Holdup::Recorder.new(probe: @probe,
      guard: Holdup::Guard.new(log: @log = CollectedLog.new, clock: @clock))
    @jobs = Holdup::Instrumentation::JobUnits.new(recorder:, clock: @clock)
    @callbacks = Base.__callbacks[:perform]
    Holdup::Instrumentation::ActiveJob.install(Base, @jobs)
    Base.queue_adapter = @shelf = Shelf.new
  end

  def teardown
    [Base, *Base.descendants].each { |job| job.__callbacks = job.__callbacks.merge(perform: @callbacks) }
    assert_empty @log.lines
  end

  def recorded(*fields)
    @probe.recorded.map { |unit| unit.to_h.values_at(*fields) }
  end

  def test_a_run_is_a_unit_without_queue_time_when_it_was_not_enqueued
    assert_equal :sent, MailJob.perform_now
    assert_equal [[2, "#{self.class}::MailJob", "mails", nil, false]],
      recorded(:kind, :name, :queue, :queued_ns, :error)
  end

  def test_waited_since_it_was_enqueued_or_since_the_time_that_it_was_scheduled_for
    now = Time.at(0, @clock.realtime_ns, :nanosecond)
    {{"enqueued_at" => now - 2} => 2, {"enqueued_at" => now - 60, "scheduled_at" => now - 3} => 3,
     {"enqueued_at" => now - 1, "scheduled_at" => now - 3} => 1}.each do |times, seconds|
      texts = times.transform_values { |time| time.utc.iso8601(9) }
      ActiveJob::Base.execute(MailJob.new.serialize.merge(texts))
      assert_equal seconds * 1_000_000_000, @probe.recorded.last.queued_ns
    end
  end

  def test_a_scheduled_job_that_is_run_at_once_has_not_waited
    MailJob.new.set(wait: 60).perform_now
    assert_equal [[nil]], recorded(:queued_ns)
    assert_empty @probe.counted
  end

  def test_times_as_earlier_rails_keeps_them
    job = MailJob.new
    job.enqueued_at = Time.at(0, @clock.realtime_ns - 5_000_000_000, :nanosecond).utc.iso8601(9)
    job.perform_now
    assert_equal [[5_000_000_000]], recorded(:queued_ns)
  end

  def test_an_enqueuing_time_in_whole_seconds_is_no_queue
    20.times do |index|
      @clock.realtime_ns += 700_000_000
      job = MailJob.new
      job.enqueued_at = Time.at(0, @clock.realtime_ns, :nanosecond).utc.iso8601
      job.perform_now
      assert_nil @probe.recorded.last.queued_ns, "run #{index}"
    end
  end

  def test_a_time_that_the_application_chose_is_exact
    now = Time.at(0, @clock.realtime_ns, :nanosecond).utc
    times = {"enqueued_at" => (now - 60).iso8601, "scheduled_at" => (now - 2).iso8601}
    ActiveJob::Base.execute(MailJob.new.serialize.merge(times))
    assert_equal 2_123_456_789, @probe.recorded.last.queued_ns
  end

  def test_another_runners_name_of_the_class_becomes_what_the_job_does
    mail = ActionMailer::MailDeliveryJob.new(UserMailer.name, "welcome", "deliver_now", args: [1])
    @jobs.measure(@jobs.run(mail.job_id, "ActionMailer::MailDeliveryJob", "mails")) do
      Holdup::Instrumentation::ActiveJob.new(@jobs).around(mail) { :sent }
    end
    assert_equal [["#{UserMailer}#welcome", "mails"]], recorded(:name, :queue)
  end

  def test_a_name_that_somebody_gave_stays
    mail = ActionMailer::MailDeliveryJob.new(UserMailer.name, "welcome", "deliver_now", args: [1])
    @jobs.measure(@jobs.run(mail.job_id, "Newsletter", "mails")) do
      Holdup::Instrumentation::ActiveJob.new(@jobs).around(mail) { :sent }
    end
    assert_equal [["Newsletter"]], recorded(:name)
  end

  def test_an_error_is_counted_and_goes_on
    assert_raises(Boom) { MailJob.perform_now(Boom.name) }
    assert_equal [[true]], recorded(:error)
  end

  def test_each_run_of_a_retried_job_is_a_unit_and_those_that_failed_are_errors
    MailJob.perform_later(Fleeting.name)
    assert_raises(Fleeting) { ActiveJob::Base.execute(@shelf.kept.shift) until @shelf.kept.empty? }
    assert_equal [["mails", true], ["later", true]], recorded(:queue, :error)
  end

  def test_a_discarded_job_has_failed
    MailJob.perform_now(Useless.name)
    assert_equal [[true]], recorded(:error)
  end

  def test_a_job_inside_of_another_is_a_unit_of_its_own
    ReportJob.perform_now
    assert_equal [["#{self.class}::MailJob", 2], ["#{self.class}::ReportJob", 1]], recorded(:name, :handle)
  end

  def test_a_run_that_is_measured_already_is_not_measured_again
    job = MailJob.new
    @jobs.measure(@jobs.run(job.job_id, "Wrapper", nil)) { job.perform_now }
    assert_equal [["Wrapper"]], recorded(:name)
  end

  def test_installed_twice_is_installed_once
    Holdup::Instrumentation::ActiveJob.install(Base, @jobs)
    MailJob.perform_now
    assert_equal 1, @probe.recorded.size
  end

  def test_outermost_though_it_was_installed_later
    job = MailJob.new
    job.perform_now
    assert_kind_of Holdup::Instrumentation::JobUnit, job.inside
  end

  def test_the_job_runs_while_it_does_not_measure
    @probe.disable
    assert_equal :sent, MailJob.perform_now
    assert_empty @probe.recorded
  end
end
