# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/message_consumers"

# What it makes of a library's objects; the real libraries are in test/integration/message_consumers_test.rb.
class Holdup::Instrumentation::MessageConsumersTest < Minitest::Test
  Consumers = Holdup::Instrumentation::MessageConsumers
  NOW_NS = 1_700_000_000_500_000_000
  Message = Data.define(:attributes, :timestamp)
  Processor = Data.define(:worker, :queue, :sqs_msg)
  Consumer = Data.define(:topic, :messages)
  Topic = Data.define(:name)
  Parcels = Class.new { def self.queue_name = "parcels" }

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    recorder = Holdup::Recorder.new(probe: @probe, guard: @guard)
    @jobs = Holdup::Instrumentation::JobUnits.new(recorder:, clock: HandClock.new(realtime_ns: NOW_NS))
  end

  def library(type) = type.new(-> { @jobs }, guard: @guard)

  def sqs(*sent)
    messages = sent.map { |ms| Message.new({"SentTimestamp" => ms}, nil) }
    Processor.new(Parcels.new, "letters", (messages.size == 1) ? messages.first : messages)
  end

  def test_a_message_of_sqs_waits_since_it_was_sent_and_a_batch_since_its_oldest
    library(Consumers::Shoryuken).measure(sqs("1699999999500")) { nil }
    assert_equal [Parcels.name, "letters", 1_000_000_000],
      @probe.recorded.last.then { |unit| [unit.name, unit.queue, unit.queued_ns] }
    library(Consumers::Shoryuken).measure(sqs("1699999999500", "1699999998500")) { nil }
    assert_equal 2_000_000_000, @probe.recorded.last.queued_ns
  end

  def test_a_message_without_a_worker_or_a_time
    library(Consumers::Shoryuken).measure(Processor.new(nil, "letters", nil)) { nil }
    assert_empty @probe.recorded
    library(Consumers::Shoryuken).measure(sqs(nil)) { nil }
    assert_nil @probe.recorded.last.queued_ns
  end

  def test_a_batch_of_kafka_waits_since_its_first_message_was_written
    written = Time.at(1_700_000_000)
    consumer = Consumer.new(Topic.new("orders"), [Message.new({}, written), Message.new({}, written + 9)])
    library(Consumers::Karafka).measure(consumer) { nil }
    assert_equal ["orders", 500_000_000], @probe.recorded.last.then { |unit| [unit.queue, unit.queued_ns] }
  end

  def test_an_exception_that_the_library_rescues_is_a_failure
    sneakers = library(Consumers::Sneakers)
    sneakers.measure(Parcels) { sneakers.failed }
    assert_equal ["parcels", true], @probe.recorded.last.then { |unit| [unit.queue, unit.error] }
    sneakers.failed # outside of a job
  end

  def test_a_subclass_of_a_wrapper_is_left_to_active_job
    wrapper = Class.new(Parcels) { def self.name = "ActiveJob::QueueAdapters::SneakersAdapter::JobWrapper" }
    mails = Class.new(wrapper) { def self.name = "MailsWorker" }
    assert_equal 7, library(Consumers::Sneakers).measure(mails) { 7 }
    assert_empty @probe.recorded
  end

  def test_what_cannot_be_read_runs_unmeasured
    assert_equal 7, library(Consumers::Sneakers).measure(nil) { 7 }
    assert_equal 1, @log.lines.size
  end

  def test_loads_no_library
    Dir.mktmpdir do |folder|
      path = File.join(folder, "processor.rb")
      File.write(path, "raise \"loaded\"")
      Object.const_set(:Shoryuken, Module.new).autoload(:Processor, path)
      refute_predicate library(Consumers::Shoryuken), :loaded?
      refute_predicate library(Consumers::Karafka), :loaded?
    ensure
      Object.send(:remove_const, :Shoryuken)
    end
  end
end
