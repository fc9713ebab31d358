# frozen_string_literal: true

# hold_truth.rb SECONDS: prints what planted methods really took of the GVL while four threads waited, and
# what the samples say of it, in shares by method.

require "json"
require "tmpdir"
require "holdup/agent/probe"
require "holdup/segment/directory"
require "native/gvl_work"

PROBE = Holdup::Probe
MS = 1_000_000
# Of ten holds of about 40 ms: in a C extension that checks no interrupts, in garbage collection, in Ruby.
PLANTED = {native: 6, collect: 3, compute: 1}.freeze
HOLD_MS = 40
WAITERS = 4
OVER_NS = 10 * MS
APPLICATION = <<~RUBY
  class Report
    def native(ms) = GvlWork.hold(ms * 1_000_000)

    def collect(ms)
      ending = cpu_ms + ms
      GC.start while cpu_ms < ending
    end

    def compute(ms)
      ending = cpu_ms + ms
      nil while cpu_ms < ending
    end
  end
RUBY

folder = File.realpath(Dir.mktmpdir(nil, ENV.fetch("HOLDUP_BENCH_SCRATCH")))
source = File.join(folder, "report.rb")
File.write(source, APPLICATION)
load source
KEPT = Array.new(300_000) { "kept" * 8 } # for a collection of some milliseconds
SEGMENT = File.join(folder, "1-1.segment")
PROBE.open_segment(SEGMENT, 20, 64, 0, 0)
PROBE.application_folders("#{folder}/", ["#{__dir__}/"])
PROBE.enable
PROBE.sample_holds(OVER_NS)

def cpu_ms = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :millisecond)

def now_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

# Each hold is a request of its own, which knows what it caused.
def hold_for(seconds)
  random = Random.new(7)
  ending = now_ns + seconds * 1000 * MS
  until now_ns > ending
    PLANTED.flat_map { |name, count| [name] * count }.shuffle(random:).each do |name|
      handle = PROBE.enter
      Report.new.public_send(name, HOLD_MS)
      PROBE.record(handle, 1, name.to_s, nil, nil, false)
      sleep 0.003
    end
  end
end

WAITERS.times { Thread.new { loop { sleep 0.0005 } } }
hold_for(ARGV[0].to_f)
PROBE.sample_holds(0)
samples = PROBE.hold_samples
PROBE.close_segment

slots = Holdup::Segment::Reader.open(SEGMENT, gone: true, &:snapshot).slots
caused = ->(slot) { slot.named_sums[:caused_ns] }
units = slots.select { |slot| slot.series.kind == :request }
true_ns = units.to_h { |slot| ["Report##{slot.series.name}", caused.call(slot)] }
sampled_ns = Hash.new(0)
slots.select { |slot| slot.series.kind == :method }.each do |slot|
  sampled_ns[slot.series.queue[/:\d+ (\S+)/, 1] || slot.series.queue] += caused.call(slot)
end
puts JSON.generate(planted: true_ns, sampled: sampled_ns, **samples.slice(:taken, :missed))
$stdout.flush
exit!(0)
