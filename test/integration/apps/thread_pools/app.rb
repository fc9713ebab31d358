# frozen_string_literal: true

# Jobs of sucker_punch, and of Active Job with Rails' async adapter; then what was measured of them, as JSON.
require "active_job"
require "sucker_punch"
require "json"
require "holdup"
require "holdup/segment/directory"

$stdout.sync = true
SuckerPunch.logger = nil
ActiveJob::Base.logger = nil
ActiveJob::Base.queue_adapter = ActiveJob::QueueAdapters::AsyncAdapter.new(max_threads: 2)
DONE = Queue.new
GO = Queue.new

class LetterJob
  include SuckerPunch::Job

  workers 2

  def perform(*, **given)
    raise "broken" if given[:broken]
    GO.pop
  ensure
    DONE << :letter
  end
end

class AsyncJob < ActiveJob::Base
  queue_as :mails

  def perform
    GO.pop
    DONE << :async
  end
end

Holdup::Instrumentation::ActiveJob.install(ActiveJob::Base, Holdup.jobs)
Holdup.start

def snapshot
  Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries.first.read(&:snapshot)
end

def pools
  names = Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries.first.read(&:profile)
  snapshot.header.pools.each_with_index.to_h { |pool, index| [names["pool.#{index}"], pool] }
end

def wait_for
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 120
  until (found = yield)
    raise "nothing: #{pools}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
    IO.select(nil, nil, nil, 0.02)
  end
  found
end

5.times { LetterJob.perform_async("one", to: "two") }
3.times { AsyncJob.perform_later }
busy = wait_for do
  found = pools
  known = found.values_at("sucker_punch LetterJob", "async").compact
  found if known.map { |pool| pool.values_at(:max, :busy, :backlog) } == [[2, 2, 3], [2, 2, 1]]
end
8.times { GO << true }
8.times { DONE.pop }
LetterJob.perform_async(broken: true)
LetterJob.perform_in(0.05, broken: true)
2.times { DONE.pop }
AsyncJob.new.perform_now if GO << true
units = wait_for do
  found = snapshot.slots.compact.select { |slot| slot.series.kind == :job }
  found if found.sum(&:count) == 11
end
rows = units.map do |slot|
  {name: slot.series.name, queue: slot.series.queue, pool: slot.series.pool, count: slot.count,
   errors: slot.errors, queued: slot.histogram(:queued).count}
end
puts JSON.generate({units: rows, busy: busy.keys.compact.sort})
