# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/resque"

# What it makes of Resque's lists; a real Resque is in test/integration/resque_test.rb.
class Holdup::Servers::ResqueTest < Minitest::Test
  NOW_S = Time.utc(2026, 7, 1, 12, 0, 10).to_f
  WRAPPED = {"class" => "ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper",
             "args" => [{"job_class" => "MailJob", "enqueued_at" => "2026-07-01T12:00:00Z"}]}.freeze
  PLAIN = {"class" => "PlainJob", "args" => []}.freeze

  # Stands for the library: its lists by queue, the next job first.
  module Lists
    class << self
      attr_accessor :jobs

      def size(queue) = jobs.fetch(queue, []).size

      def peek(queue) = jobs.fetch(queue, []).first
    end
  end

  def setup = Object.const_set(:Resque, Lists)

  def teardown = Object.send(:remove_const, :Resque)

  def waiting(jobs)
    Lists.jobs = jobs
    found = Holdup::Servers::Resque::QueueLengths.new.call(jobs.keys, now_s: NOW_S)
    found.transform_values { |one| [one.size, one.oldest_ns] }
  end

  def test_counts_the_jobs_of_each_queue_and_knows_since_when_active_jobs_wait
    assert_equal({"mails" => [2, 10_000_000_000], "reports" => [0, 0]},
      waiting("mails" => [WRAPPED, WRAPPED], "reports" => []))
  end

  def test_a_job_of_its_own_does_not_say_since_when_it_waits
    assert_equal({"mails" => [1, nil]}, waiting("mails" => [PLAIN]))
    unreadable = {"class" => "Any", "args" => [{"enqueued_at" => "yesterday"}]}
    assert_equal({"mails" => [1, nil]}, waiting("mails" => [unreadable]))
  end

  def test_a_queue_that_other_workers_empty_meanwhile
    Lists.jobs = {}
    Lists.stub(:size, 1) do
      found = Holdup::Servers::Resque::QueueLengths.new.call(%w[mails], now_s: NOW_S)
      assert_nil found.fetch("mails").oldest_ns
    end
  end

  def test_its_worker_and_its_children_in_the_process_table
    kind = Holdup::Servers::Resque.kind
    assert_match kind.alone, "resque-3.2.0: Waiting for mails"
    assert_match kind.alone, "resque-3.2.0: Forked 4711 at 1790000000"
    assert_match kind.worker, "resque-3.2.0: Processing mails since 1790000000 [MailJob]"
    refute_match kind.worker, "resque-3.2.0: Waiting for mails"
  end
end
