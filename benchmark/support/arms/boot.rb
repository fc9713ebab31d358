# frozen_string_literal: true

# boot.rb [CACHE]: loads the half that runs in the application and starts it; prints the CPU time and the
# memory of both. CACHE: folder of bootsnap, which Rails has; the first run fills it. Rails has loaded these
# libraries before.

require "json"
require "logger"
require "objspace"
require "tmpdir"
require "uri"

if ARGV[0]
  require "bootsnap"
  Bootsnap.setup(cache_dir: ARGV[0], load_path_cache: false, compile_cache_yaml: false)
end

# CPU time of the process in ms, and its memory in kB: all, and what no file is behind.
def reading
  cpu_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :float_millisecond)
  GC.start
  kernel = File.read("/proc/self/smaps_rollup").scan(/^(Rss|Anonymous): +(\d+)/).to_h
  [cpu_ms, kernel.fetch("Rss").to_i, kernel.fetch("Anonymous").to_i]
end

def spent
  reading # the first one itself allocates
  _, *before = reading
  began_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :float_millisecond)
  yield
  ended_ms, *after = reading
  {ms: ended_ms - began_ms, rss: after[0] - before[0], anonymous: after[1] - before[1]}
end

before = $LOADED_FEATURES.dup
load = spent { require "holdup" }
files = ($LOADED_FEATURES - before).grep(/\.rb\z/)
start = spent do
  Holdup.configure do |config|
    config.dir = Dir.mktmpdir("arm", ENV.fetch("HOLDUP_BENCH_SCRATCH"))
    config.collector = :off
    config.enabled = true
    config.log = File::NULL
  end
  Holdup.start or raise "Holdup did not start"
end
# What Ruby itself needs for so much code, from source and as bootsnap keeps it; and the memory of the code
# alone.
code = nil
compiled = spent { code = files.map { |file| RubyVM::InstructionSequence.compile_file(file) } }
binaries = code.map(&:to_binary)
cached = spent { binaries.each { |binary| RubyVM::InstructionSequence.load_from_binary(binary) } }
sizes = lambda do |sequence|
  own = ObjectSpace.memsize_of(sequence)
  sequence.each_child { |inner| own += sizes.call(inner) }
  own
end
bytes = files.sum { |file| File.size(file) }
puts JSON.generate(load:, start:, compiled:, cached:, bytes:, files: code.size, kept: code.sum(&sizes))
$stdout.flush
exit!(0)
