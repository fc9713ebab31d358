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
end
