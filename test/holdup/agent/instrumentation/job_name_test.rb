# frozen_string_literal: true

require "test_helper"
require "active_job"
require "action_mailer"
require "active_record"
require "active_record/destroy_association_async_job"
require "holdup/agent/instrumentation/job_name"

class Holdup::Instrumentation::JobNameTest < Minitest::Test
  # Classes of libraries whose gems the tests do not load, with the names that these have.
  module Libraries
    Blob = Struct.new(:content_type, :id)

    # @return [Class] a job with this name, and with this class above it
    def self.job(name, above = ActiveJob::Base)
      Class.new(above) { define_singleton_method(:name) { name } }
    end
  end

  class ReportJob < ActiveJob::Base
  end

  class OwnMailJob < ActionMailer::MailDeliveryJob
  end

  class Comment
    attr_reader :id

    def initialize = @id = 17
  end

  def setup
    @names = Holdup::Instrumentation::JobName.new
  end

  def named(type, *arguments, **keywords)
    arguments << keywords unless keywords.empty?
    @names.call(type.new(*arguments))
  end

  def library(name, *arguments, **)
    named(Libraries.job(name), *arguments, **)
  end

  def test_a_job_of_the_application_is_its_class
    assert_equal "#{self.class}::ReportJob", named(ReportJob, 17, "text")
  end

  def test_mails_are_mailer_and_method
    assert_equal "UserMailer#welcome",
      named(ActionMailer::MailDeliveryJob, "UserMailer", "welcome", "deliver_now", args: [1])
    assert_equal "Admin::ReportMailer#weekly",
      named(ActionMailer::MailDeliveryJob, "Admin::ReportMailer", "weekly", "deliver_now!", args: [])
  end

  def test_a_mail_job_of_the_applications_own
    assert_equal "UserMailer#welcome", named(OwnMailJob, "UserMailer", "welcome", "deliver_now", args: [1])
  end

  def test_a_mail_job_with_unknown_arguments_is_its_class
    assert_equal "ActionMailer::MailDeliveryJob", named(ActionMailer::MailDeliveryJob)
    assert_equal "ActionMailer::MailDeliveryJob",
      named(ActionMailer::MailDeliveryJob, "someone@example.com", "welcome")
  end

  def test_what_active_storage_analyses
    assert_equal "ActiveStorage::AnalyzeJob(video)",
      library("ActiveStorage::AnalyzeJob", Libraries::Blob.new("video/mp4", 5))
    assert_equal "ActiveStorage::AnalyzeJob",
      library("ActiveStorage::AnalyzeJob", Libraries::Blob.new("x-17/5", 5))
    purged = library("ActiveStorage::PurgeJob", Libraries::Blob.new("image/png", 5))
    assert_equal "ActiveStorage::PurgeJob", purged
  end

  def test_which_association_is_destroyed
    assert_equal "ActiveRecord::DestroyAssociationAsyncJob(Line of Order)",
      named(ActiveRecord::DestroyAssociationAsyncJob, owner_model_name: "Order", owner_id: 4,
        association_class: "Line", association_ids: [1, 2])
  end

  def test_what_turbo_broadcasts
    assert_equal "Turbo::Streams::ActionBroadcastJob(append comments/comment)",
      library("Turbo::Streams::ActionBroadcastJob", "stream-17", action: :append, target: "post_17",
        partial: "comments/comment", locals: {id: 17})
    assert_equal "Turbo::Streams::BroadcastJob(posts/list)",
      library("Turbo::Streams::BroadcastJob", "stream-17", template: "posts/list")
    assert_equal "Turbo::Streams::ActionBroadcastJob(remove)",
      library("Turbo::Streams::ActionBroadcastJob", "stream-17", action: "remove", target: "post_17")
    assert_equal "Turbo::Streams::BroadcastJob",
      library("Turbo::Streams::BroadcastJob", "stream-17", template: "<b>17</b>")
  end

  def test_whom_noticed_notifies_of_what
    assert_equal "Noticed::EventJob(#{Comment})", library("Noticed::EventJob", Comment.new)
    email = Libraries.job("Noticed::DeliveryMethods::Email", Libraries.job("Noticed::DeliveryMethod"))
    assert_equal "Noticed::DeliveryMethods::Email(#{Comment})", named(email, :email, Comment.new)
    base = Libraries.job("Noticed::DeliveryMethods::Base")
    first_version = Libraries.job("Noticed::DeliveryMethods::Email", base)
    assert_equal "Noticed::DeliveryMethods::Email(CommentNotification)",
      named(first_version, notification_class: "CommentNotification", recipient: 17)
  end

  def test_commands_of_recurring_tasks
    assert_equal "SolidQueue::RecurringJob(Order.expired.delete_all)",
      library("SolidQueue::RecurringJob", "Order.expired.delete_all")
  end

  def test_what_search_indexes
    assert_equal "Searchkick::ReindexV2Job(Product)", library("Searchkick::ReindexV2Job", "Product", 17)
    assert_equal "Searchkick::BulkReindexJob(Product)",
      library("Searchkick::BulkReindexJob", class_name: "Product", record_ids: [17])
    assert_equal "AlgoliaSearch::AlgoliaJob(#{Comment} index!)",
      library("AlgoliaSearch::AlgoliaJob", Comment.new, "index!")
  end

  def test_arguments_that_can_not_be_read_leave_the_class
    Holdup::Instrumentation::JobName::BY_CLASS.each_key do |wrapper|
      [[], [nil], [Object.new], ["x" * 1_000, 5], [BasicObject.new]].each do |arguments|
        job = Libraries.job(wrapper)
        named = @names.call(Struct.new(:class, :arguments).new(job, arguments))
        assert named.start_with?(wrapper), "#{wrapper} is #{named}"
        refute_match(/17|0x/, named)
      end
    end
  end
end
