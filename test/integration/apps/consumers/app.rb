# frozen_string_literal: true

# Messages for Shoryuken, Sneakers (Kicks) and Karafka through the libraries' own code, with stand-ins for
# their brokers; then what was measured of them, as JSON.
require "active_job"
require "json"
require "logger"
require "aws-sdk-sqs"
require "shoryuken"
require "sneakers"
require "karafka"
require "holdup"
require "holdup/segment/directory"

NOBODY = Logger.new(IO::NULL)
Shoryuken::Logging.logger = NOBODY if Shoryuken::Logging.respond_to?(:logger=)

module Shoryuken
  CLI = Module.new # as in the process of its command
end

class SqsWorker
  include Shoryuken::Worker

  shoryuken_options queue: "letters", auto_delete: false

  def perform(_message, body)
    raise "broken" if body == "broken"
  end
end

Sneakers.configure(log: NOBODY, ack: true)

class RabbitWorker
  include Sneakers::Worker

  from_queue "parcels"

  def work(message)
    raise "broken" if message == "broken"
    ack!
  end
end

class KafkaConsumer < Karafka::BaseConsumer
  def consume
    raise "broken" if messages.first.raw_payload == "broken"
  end
end

class KarafkaApp < Karafka::App
  setup do |config|
    config.kafka = {"bootstrap.servers": "127.0.0.1:1"}
    config.logger = NOBODY
  end
  routes.draw { topic("orders") { consumer KafkaConsumer } }
end

Holdup.start
# As an initializer that comes after Holdup.
Sneakers.configure(error_reporters: [])

WAITED_S = 5
LETTERS = Struct.new(:url, :name).new("http://127.0.0.1:1/letters", "letters")

def sqs(body)
  sent = ((Time.now.to_f - WAITED_S) * 1000).to_i.to_s
  data = Aws::SQS::Types::Message.new(message_id: "1", body:, attributes: {"SentTimestamp" => sent},
    message_attributes: {}, receipt_handle: "1")
  Shoryuken::Message.new(Shoryuken::Client.sqs, LETTERS, data)
end

answers = {get_queue_url: {queue_url: LETTERS.url},
           get_queue_attributes: {attributes: {"VisibilityTimeout" => "30"}}}
Shoryuken.sqs_client = Aws::SQS::Client.new(stub_responses: answers, region: "eu-west-1")
Shoryuken::Processor.process("letters", sqs("fine"))
begin
  Shoryuken::Processor.process("letters", sqs("broken"))
rescue RuntimeError
  nil
end

# Stands for what acknowledges messages.
class Acknowledging
  def acknowledge(*) = nil

  def error(*) = nil
end

rabbit = RabbitWorker.new(Struct.new(:name, :opts).new("parcels", {}), Concurrent::ImmediateExecutor.new)
%w[fine broken].each { |message| rabbit.do_work(nil, nil, message, Acknowledging.new) }

# As Karafka's executor does with a batch that the client has fetched.
def kafka(payload)
  topic = KarafkaApp.consumer_groups.first.topics.first
  metadata = Karafka::Messages::Metadata.new(timestamp: Time.now - WAITED_S, topic: "orders",
    partition: 0, offset: 0, deserializers: topic.deserializers)
  message = Karafka::Messages::Message.new(payload, metadata)
  coordinator = Karafka::Processing::ConsumerGroups::Coordinator.new(topic, 0,
    Karafka::TimeTrackers::Pause.new(timeout: 1, max_timeout: 1, exponential_backoff: false))
  coordinator.start([message])
  coordinator.increment(:consume)
  consumer = KafkaConsumer.new
  consumer.singleton_class.include(Karafka::Processing::ConsumerGroups::Strategies::Default)
  consumer.coordinator = coordinator
  consumer.messages = Karafka::Messages::Messages.new([message], Karafka::Messages::BatchMetadata.allocate)
  consumer.on_consume
end
%w[fine broken].each { |payload| kafka(payload) }

Holdup.stop
snapshot = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries.first.read(&:snapshot)
slots = snapshot.slots.compact.select { |slot| slot.series.kind == :job }
rows = slots.map do |slot|
  queued = slot.histogram(:queued)
  {name: slot.series.name, queue: slot.series.queue, count: slot.count, errors: slot.errors,
   waited: queued.count.positive? && queued.max.fdiv(1e9).between?(4, 120)}
end
puts JSON.generate(rows)
