# frozen_string_literal: true

class MailJob < ActiveJob::Base
  queue_as :mails

  def perform
    ActiveRecord::Base.connection_pool.with_connection { |connection| connection.select_value("SELECT 1") }
  end
end

class ReportJob < ActiveJob::Base
  queue_as :reports

  def perform(rounds = 2_000)
    rounds.times { |round| Math.sqrt(round) }
  end
end

class SlowJob < ActiveJob::Base
  queue_as :mails

  def perform(seconds) = sleep(seconds)
end

class FailingJob < ActiveJob::Base
  Refused = Class.new(StandardError)
  queue_as :mails
  retry_on Refused, wait: 0, attempts: 2

  def perform = raise(Refused)
end

class OuterJob < ActiveJob::Base
  queue_as :urgent

  def perform = MailJob.perform_now
end

class BrokenJob < ActiveJob::Base
  def perform = raise("broken")
end

class ForkingJob < ActiveJob::Base
  def perform
    Process.wait(fork { MailJob.perform_now })
  end
end

if defined?(GoodJob)
  class ThrottledJob < ActiveJob::Base
    include GoodJob::ActiveJobExtensions::Labels
    include GoodJob::ActiveJobExtensions::Concurrency

    queue_as :mails
    good_job_concurrency_rule(label: "throttled", apply_label: true, perform_throttle: [1, 1.hour])

    def perform = nil
  end
end
