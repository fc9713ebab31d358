# frozen_string_literal: true

# memory.rb KIND REQUESTS SEED: a process with ten endpoints, one of which is given a task, served as
# fast as the machine can. Prints what Holdup says of its memory.
#   leak       a constant grows by 1 kB with each request
#   temporary  one request in twenty builds 20 MB
#   large      each request does
#   cache      fills once, with 200 entries of 10 kB
#   none
require "json"

KIND, REQUESTS, SEED = ARGV
SCRATCH = ENV.fetch("HOLDUP_BENCH_SCRATCH")
LIB = File.expand_path("../../../lib", __dir__)
STORE = "sqlite:#{SCRATCH}/memory.sqlite3"
ENV["HOLDUP_DIR"] = "#{SCRATCH}/segments"
ENV["HOLDUP_STORE"] = STORE
ENV["HOLDUP_COLLECTOR"] = "thread"

require "holdup"

KEPT = []
CACHE = {}
ENDPOINTS = Array.new(10) { |number| "E#action#{number}" }
RANDOM = Random.new(Integer(SEED))
SPECIAL = RANDOM.rand(ENDPOINTS.size)

def serve(endpoint)
  lines = Array.new(100) { |number| "line #{number}" }
  lines.each_slice(10).to_h { |slice| [slice.first, slice] }
  special if endpoint == SPECIAL
end

def build = Array.new(20_000) { "x" * 1000 }

def special
  case KIND
  when "leak" then KEPT << ("x" * 1024)
  when "temporary" then build if RANDOM.rand(20).zero?
  when "large" then build
  when "cache" then CACHE[RANDOM.rand(200)] ||= "x" * 10_240
  end
end

Holdup.start
from_s = Time.now.to_i
started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
Integer(REQUESTS).times do
  endpoint = RANDOM.rand(ENDPOINTS.size)
  Holdup.measure(ENDPOINTS.fetch(endpoint)) { serve(endpoint) }
end
seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
Holdup.stop
# The collector in a thread may have had no CPU for its last round.
system(RbConfig.ruby, "-I#{LIB}", "#{LIB}/../exe/holdup", "collect", "--once", out: File::NULL,
  exception: true)

require "holdup/loader"
store = Holdup::Store.open(STORE)
span = {from_s: from_s - 60, to_s: Time.now.to_i + 60}
summary = Holdup::Queries::LoadSummary.call(store, **span, growth: true) do |known|
  Holdup::Report::FullReport.parts_of_table(:memory, known)
end
retained = summary.retained_memory
found = summary.heap_growth.map do |one|
  {name: one.name, each: one.each_bytes.round, within: one.each_within.map(&:round), bytes: one.bytes}
end
peak = summary.memory_peaks[ENDPOINTS[SPECIAL]]&.to_h
puts JSON.generate(special: ENDPOINTS[SPECIAL], found:, peak:, watched: retained.watched,
  seconds: seconds.round(1), grown: retained.grown_bytes, rest: retained.rest_bytes,
  said: Holdup::Report::FullReport.new(summary).table(:memory).blocks.first.texts)
