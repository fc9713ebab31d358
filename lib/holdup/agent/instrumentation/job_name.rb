# frozen_string_literal: true

require_relative "../guard"

module Holdup
  module Instrumentation
    # The name of an Active Job: its class, or what it does where a library runs all work of a kind in one
    # class. So mails are `UserMailer#welcome`, and other wrappers have what they do in parentheses:
    # `Noticed::EventJob(CommentNotifier)`. Names are few: never a record's id, an address or a text.
    class JobName
      # Main parts of content types.
      MEDIA = %w[image video audio text application].freeze
      CLASS_NAME = /\A(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*\z/
      METHOD_NAME = /\A[a-z_]\w*[?!]?\z/
      # Views that the application has, and not text that it has made.
      VIEW = %r{\A[a-z_][\w./-]*\z}i
      # Names of classes that are remembered; an application's are fewer.
      MOST_CLASSES = 1_000

      # How the arguments of each wrapper, and of its subclasses, say what it does. nil: they don't.
      BY_CLASS = {
        "ActionMailer::MailDeliveryJob" => :mail,
        "ActionMailer::DeliveryJob" => :mail,
        "ActionMailer::Parameterized::DeliveryJob" => :mail,
        "ActiveStorage::AnalyzeJob" => :media,
        "ActiveStorage::TransformJob" => :media,
        "ActiveStorage::PreviewImageJob" => :media,
        "ActiveStorage::CreateVariantsJob" => :media,
        "ActiveRecord::DestroyAssociationAsyncJob" => :association,
        "Turbo::Streams::ActionBroadcastJob" => :broadcast,
        "Turbo::Streams::BroadcastJob" => :broadcast,
        "Noticed::EventJob" => :record,
        "Noticed::DeliveryMethod" => :notification,
        "Noticed::DeliveryMethods::Base" => :notification,
        "SolidQueue::RecurringJob" => :command,
        "Searchkick::ReindexV2Job" => :indexed,
        "Searchkick::BulkReindexJob" => :indexed,
        "Searchkick::ProcessQueueJob" => :indexed,
        "Searchkick::ProcessBatchJob" => :indexed,
        "AlgoliaSearch::AlgoliaJob" => :record_method,
        "MeiliSearch::Rails::MSJob" => :record_method,
        "Meilisearch::Rails::MSJob" => :record_method
      }.freeze

      # Job runners run Active Job's jobs in classes of its adapters, or of their own.
      WRAPPERS = ["ActiveJob::QueueAdapters::", "Shoryuken::ActiveJob::", "Karafka::ActiveJob::"].freeze

      # @param class_name [String] of a job, as its runner knows it
      # @return [Boolean] whether it only runs a job of Active Job
      def self.wrapper?(class_name) = class_name.start_with?(*WRAPPERS)

      def initialize
        @ways = {}.compare_by_identity
      end

      # @param job [ActiveJob::Base] with its arguments deserialised
      # @return [String]
      def call(job)
        type = job.class
        way = way(type)
        (way && by_arguments(way, type.name, job.arguments)) || type.name.to_s
      end

      private

      # @return [String, nil] nil when the arguments are not those that the library gives
      def by_arguments(way, type, arguments)
        return mail(arguments) if way == :mail
        done = send(way, arguments)
        "#{type}(#{done})" if done
      rescue *Guard::FAILURES
        nil
      end

      def way(type)
        @ways.fetch(type) do
          name = type.ancestors.find { |ancestor| BY_CLASS.key?(ancestor.name) }&.name
          way = BY_CLASS[name]
          @ways[type] = way if @ways.size < MOST_CLASSES
          way
        end
      end

      def mail(arguments)
        mailer, action = arguments.first(2).map(&:to_s)
        "#{mailer}##{action}" if CLASS_NAME.match?(mailer) && METHOD_NAME.match?(action)
      end

      def media(arguments)
        content_type = arguments.first.content_type.to_s
        MEDIA.find { |part| content_type.start_with?("#{part}/") }
      end

      def association(arguments)
        owner, associated = keywords(arguments).values_at(:owner_model_name, :association_class)
        "#{class_name(associated)} of #{class_name(owner)}" if class_name(owner) && class_name(associated)
      end

      def broadcast(arguments)
        action, partial, template = keywords(arguments).values_at(:action, :partial, :template)
        view = [partial, template].find { |candidate| candidate.is_a?(String) && VIEW.match?(candidate) }
        said = [action&.to_s, view].compact.join(" ")
        said unless said.empty?
      end

      def record(arguments) = of_record(arguments.first)

      # Version 2 of Noticed has the record as an argument, version 1 the class's name in a hash.
      def notification(arguments)
        of_version1 = class_name(arguments.first.to_h[:notification_class]) if arguments.first.is_a?(Hash)
        of_version1 || of_record(arguments[1])
      end

      # What `config/recurring.yml` says.
      def command(arguments)
        arguments.first if arguments.first.is_a?(String)
      end

      def indexed(arguments)
        class_name(keywords(arguments)[:class_name] || arguments.first)
      end

      def record_method(arguments)
        indexed, method = arguments.first(2)
        "#{of_record(indexed)} #{method}" if of_record(indexed) && METHOD_NAME.match?(method.to_s)
      end

      def of_record(record)
        class_name(record.class) unless record.nil? || record.instance_of?(Object)
      end

      def keywords(arguments)
        last = arguments.last
        last.is_a?(Hash) ? last.transform_keys(&:to_sym) : {}
      end

      # @param found [Class, String, nil]
      def class_name(found)
        name = found.to_s
        name.delete_prefix("::") if CLASS_NAME.match?(name)
      end
    end
  end
end
