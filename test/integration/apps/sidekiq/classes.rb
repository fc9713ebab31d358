# frozen_string_literal: true

# Says that a run of a job came to a point of it, and counts them there.
module Telling
  def report(what)
    Sidekiq.redis { |redis| redis.call("INCR", "reported:#{what}") }
  end

  # Waits until another job allows it to end.
  def await(what)
    sleep 0.01 until Sidekiq.redis { |redis| redis.call("GET", "reported:#{what}") }
  end
end

class PlainJob
  include Sidekiq::Job
  include Telling

  def perform = report("plain")
end

class RaisingJob
  include Sidekiq::Job
  include Telling

  sidekiq_options retry: 1

  def perform
    raise "the first time" if report("raising") == 1
  end
end

class LongJob
  include Sidekiq::Job
  include Telling

  def perform
    report("long")
    await("release")
    report("long done")
  end
end

class SingleJob
  include Sidekiq::Job
  include Telling

  sidekiq_options queue: "single"

  def perform = report("single")
end

class ForkingJob
  include Sidekiq::Job
  include Telling

  def perform
    Process.wait(fork { Holdup.measure("in the child") { nil } if defined?(Holdup) })
    report("forking")
  end
end

class OuterJob
  include Sidekiq::Job

  def perform = InnerJob.perform_inline
end

class InnerJob
  include Sidekiq::Job
  include Telling

  def perform = report("inner")
end

if defined?(Sidekiq::IterableJob)
  class ListJob
    include Sidekiq::IterableJob
    include Telling

    def build_enumerator(cursor:)
      array_enumerator([1, 2, 3], cursor:)
    end

    # The second element lasts until the process shuts down.
    def each_iteration(number)
      report("element #{number}")
      sleep 0.01 until number != 2 || interrupted?
    end
  end
end

# Says which one it is and from which queue, and lasts until its process dies.
class HeldJob
  include Sidekiq::Job
  include Telling

  def perform(queue)
    Sidekiq.redis { |redis| redis.call("APPEND", "reported:held", "#{jid}:#{queue} ") }
    await("release")
  end
end

# Works on the CPU with the GVL; how much, never how long.
class PdfJob
  include Sidekiq::Job
  include Telling

  def perform
    300_000.times { |number| number.to_s.hash }
    report("pdf")
  end
end

# Waits for somebody else, many times, and does next to nothing itself.
class MailJob
  include Sidekiq::Job
  include Telling

  def perform
    10.times { sleep 0.002 }
    report("mail")
  end
end
