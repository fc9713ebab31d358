# frozen_string_literal: true

# Jobs that are no Active Jobs, as each runner has them.
case ENV["ADAPTER"]
when "resque"
  class PlainJob
    @queue = :mails

    def self.perform = nil
  end

  class BrokenPlainJob
    @queue = :mails

    def self.perform = raise("broken")
  end
when "delayed_job"
  Delayed::Worker.sleep_delay = 0.1

  class PlainJob
    def perform = nil
  end

  class BrokenPlainJob
    def perform = raise("broken")

    def max_attempts = 1
  end

  class Ledger
    def self.close = nil
  end
when "que"
  class PlainJob < Que::Job
    self.queue = "mails"

    def run = nil
  end

  class BrokenPlainJob < Que::Job
    self.queue = "mails"
    self.maximum_retry_count = 0

    def run = raise("broken")
  end
when "sneakers"
  # Active Job's jobs of one queue each.
  %w[Mails Reports Urgent].each do |name|
    wrapper = Class.new(ActiveJob::QueueAdapters::SneakersAdapter::JobWrapper)
    Object.const_set("#{name}Worker", wrapper).from_queue(name.downcase)
  end

  class PlainJob
    include Sneakers::Worker

    from_queue "parcels"

    def work(_message) = ack!
  end

  class BrokenPlainJob
    include Sneakers::Worker

    from_queue "broken"

    def work(_message) = raise("broken")
  end

  # Goes back to its queue once.
  class RequeuedJob
    include Sneakers::Worker

    from_queue "requeued"

    def work_with_params(_message, delivery, _metadata) = delivery.redelivered? ? ack! : requeue!
  end

  # Says which process has the message, and ends when a file is there.
  class HeldJob
    include Sneakers::Worker

    from_queue "held"

    def work(path)
      File.write("#{path}.#{Process.pid}", "")
      sleep(0.02) until File.exist?(path)
      ack!
    end
  end

  # What the client asks of the broker.
  module Broker
    QUEUES = %w[mails reports urgent parcels broken requeued held].freeze
    PUBLISHERS = [ActiveJob::QueueAdapters::SneakersAdapter::JobWrapper, PlainJob, BrokenPlainJob,
      RequeuedJob, HeldJob].freeze

    class << self
      # @return [Integer] workers of the queue that has the fewest
      def workers
        connection = Bunny.new(ENV.fetch("RABBITMQ_URL"), logger: Logger.new(IO::NULL)).start
        QUEUES.map { |name| workers_of(connection, name) }.min
      ensure
        connection&.close
      end

      # Waits until the broker has all that was sent. It answers in order.
      def sent
        PUBLISHERS.each do |type|
          publisher = type.send(:publisher)
          publisher.ensure_connection!
          publisher.channel.prefetch(1)
        end
        nil
      end

      private

      def workers_of(connection, name)
        return 0 unless connection.queue_exists?(name)
        connection.create_channel.queue(name, passive: true).consumer_count
      end
    end
  end
end
