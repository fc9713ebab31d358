# frozen_string_literal: true

# Futures and promises of concurrent-ruby; then what was measured of them, as JSON.
require "concurrent"
require "json"
require "holdup"
require "holdup/segment/directory"

class Rates
  def self.load(zone) = Concurrent::Promises.future(zone) { |name| "#{name} rates" }

  def self.shout(zone) = load(zone).then(&:upcase).then { |text| "#{text}!" }

  def fail_once = Concurrent::Promises.future { raise IOError, "gone" }.rescue { |error| error.class }

  def chained = Concurrent::Promises.future { 1 }.chain { |_fulfilled, value, _reason| value + 1 }

  def former = Concurrent::Future.execute { :future }

  def promised = Concurrent::Promise.execute { 20 }.then { |value| value + 1 }
end

def snapshot
  Holdup::Segment::Directory.new(ENV.fetch("HOLDUP_DIR")).entries.first.read(&:snapshot)
end

def wait_for
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 120
  until (found = yield)
    raise "nothing" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
    IO.select(nil, nil, nil, 0.02)
  end
  found
end

Holdup.start
rates = Rates.new
values = [Rates.shout("north").value!, rates.fail_once.value!, rates.chained.value!, rates.former.value,
  rates.promised.value]
units = wait_for do
  found = snapshot.slots.compact.select { |slot| slot.series.kind == :job }
  found if found.sum(&:count) == 9
end
rows = units.map do |slot|
  [slot.series.name, slot.series.pool, slot.count, slot.errors, slot.histogram(:queued).count]
end
puts JSON.generate({values: values.map(&:to_s), units: rows.sort})
