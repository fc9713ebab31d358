# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../../model/quantities"
require_relative "../guard"
require_relative "../recorder"
require_relative "job_name"
require_relative "job_units"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Libraries that take messages from a broker: each message, or batch of messages, that an application's
    # class handles is a job. Active Job's messages are left to Active Job's callback.
    #
    # It hooks into each library once that is loaded.
    class MessageConsumers
      include Runtime::Resource

      # @param jobs [#call] gives the JobUnits
      def initialize(jobs, guard:)
        @waiting = [Shoryuken, Sneakers, Karafka].map { |library| library.new(jobs, guard:) }
      end

      def install
        loaded, @waiting = @waiting.partition(&:loaded?)
        loaded.each(&:join)
      end

      # One of the libraries. A class of it names the constant that it hooks into (CLASS), does so (`join`)
      # and knows what is handled (`run`).
      class MessageLibrary
        def initialize(jobs, guard:)
          @jobs = jobs
          @guard = guard
        end

        # Asking for a constant that is to be loaded would load it, which is not ours to do.
        # @return [Boolean]
        def loaded?
          self.class::CLASS.split("::").inject(Object) do |owner, name|
            return false if owner.autoload?(name, false) || !owner.const_defined?(name, false)
            owner.const_get(name, false)
          end.instance_methods(false).any?
        end

        # Measures one run.
        # @param handled [Array<Object>] what is handled, as the hooked method knows it
        # @return [Object] the block's value; its exception goes on untouched
        def measure(*handled, &)
          jobs = @jobs.call
          run = run_of(jobs, handled) if jobs.on?
          jobs.measure(run, &)
        end

        # The library has rescued an exception of what it handles here.
        def failed
          @guard.call(:messages) do
            unit = Recorder::OpenUnit.current
            unit.failed if unit.is_a?(JobUnit)
          end
        end

        private

        def run_of(jobs, handled)
          run(jobs, *handled)
        rescue *Guard::FAILURES => error
          jobs.unreadable(error)
        end

        # @param type [Class] of the application, which handles it
        # @return [JobUnit, nil] nil for what only runs a job of Active Job
        def new_run(jobs, type, queue)
          jobs.run(nil, type.name.to_s, queue) unless wrapper?(type)
        end

        # An application may have a subclass of a wrapper for each of its queues.
        def wrapper?(type)
          while type
            return true if JobName.wrapper?(type.name.to_s)
            type = type.superclass
          end
          false
        end

        def around(owner, name, handled)
          Hooks::MethodHook.new(owner, name, by: :messages, constants: {HoldupMessages: self}) do |method|
            "HoldupMessages.measure(#{handled}) { #{method.call} }"
          end.install(@guard)
        end
      end

      # Shoryuken: a message of SQS, or a batch of them.
      class Shoryuken < MessageLibrary
        CLASS = "Shoryuken::Processor"
        SENT = "SentTimestamp" # milliseconds since 1970
        NS_PER_MS = 1_000_000

        # Its command loads the class with the first message.
        def loaded? = super || !!defined?(::Shoryuken::CLI)

        def join = around(::Shoryuken::Processor, :process, "self")

        private

        def run(jobs, processor)
          worker = processor.send(:worker) or return
          run = new_run(jobs, worker.class, processor.queue) or return
          run.ready_ns = ready_ns(Array(processor.sqs_msg))
          run
        end

        # When the oldest was sent.
        def ready_ns(messages)
          sent = messages.filter_map { |message| message.attributes[SENT] }
          sent.map(&:to_i).min * NS_PER_MS unless sent.empty?
        end
      end

      # Sneakers and its successor Kicks: a message of RabbitMQ, which has no time finer than a second.
      class Sneakers < MessageLibrary
        CLASS = "Sneakers::Worker"

        def join
          around(::Sneakers::Worker, :process_work, "self.class")
          report_failures
        end

        private

        def run(jobs, type) = new_run(jobs, type, type.queue_name)

        # An initializer may replace the list of error reporters at any time.
        def report_failures
          options = {by: :messages, constants: {HoldupMessages: self}}
          Hooks::MethodHook.new(::Sneakers::ErrorReporter, :worker_error, **options) do |method|
            "HoldupMessages.failed\n#{method.call}"
          end.install(@guard)
        end
      end

      # Karafka 2: a batch of messages of one partition.
      class Karafka < MessageLibrary
        CLASS = "Karafka::BaseConsumer"
        CONSUMED = "consumer.consume.error"

        def join
          around(::Karafka::BaseConsumer, :on_consume, "self")
          ::Karafka.monitor.subscribe("error.occurred") { |event| failed if event[:type] == CONSUMED }
        end

        private

        def run(jobs, consumer)
          run = new_run(jobs, consumer.class, consumer.topic.name) or return
          written = consumer.messages.first&.timestamp
          run.ready_ns = written.to_i * NS + written.nsec if written
          run
        end
      end
    end
  end
end
