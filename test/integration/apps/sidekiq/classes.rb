# frozen_string_literal: true

# Says that a run of a job came to a point of it, and counts them there.
module Telling
  def tell(what) = Sidekiq.redis { |redis| redis.call("INCR", "told:#{what}") }

  # Until somebody else says so.
  def await(what)
    loop do
      break if Sidekiq.redis { |redis| redis.call("GET", "told:#{what}") }
      sleep 0.01
    end
  end
end

class PlainJob
  include Sidekiq::Job
  include Telling

  def perform = tell("plain")
end

class RaisingJob
  include Sidekiq::Job
  include Telling

  sidekiq_options retry: 1

  def perform
    raise "the first time" if tell("raising") == 1
  end
end

class LongJob
  include Sidekiq::Job
  include Telling

  sidekiq_options queue: "low"

  def perform
    tell("long")
    await("release")
  end
end

class ForkingJob
  include Sidekiq::Job
  include Telling

  def perform
    pid = fork { Holdup.measure("in the child") { nil } }
    Process.wait(pid)
    tell("forking")
  end
end

class OuterJob
  include Sidekiq::Job

  def perform = InnerJob.perform_inline
end

class InnerJob
  include Sidekiq::Job
  include Telling

  def perform = tell("inner")
end

# Works on the CPU, with the GVL, for a fixed amount of work.
class PdfJob
  include Sidekiq::Job
  include Telling

  def perform
    200_000.times { |number| number.to_s.hash }
    tell("pdf")
  end
end

# Waits for somebody else, many times, and does next to nothing itself.
class MailJob
  include Sidekiq::Job
  include Telling

  def perform
    10.times { sleep 0.002 }
    tell("mail")
  end
end
