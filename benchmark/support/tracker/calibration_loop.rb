# frozen_string_literal: true

# Once a second the same work, about 10 ms of what Rails applications do most: strings, hashes and calls.
# Prints the time in seconds since 1970 and the CPU time in ns.
PERIOD_S = 1
ROWS = 10_000

work = lambda do
  rows = Array.new(ROWS) { |index| {id: index, name: "row #{index}", price: index * 7 % 1_000} }
  rows.sort_by { |row| row[:price] }.map { |row| "<td>#{row[:name]}</td>" }.join.bytesize
end

$stdout.sync = true
20.times { work.call }
loop do
  # Whether a collection falls into the work is chance.
  GC.start
  GC.disable
  before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
  work.call
  cpu_ns = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond) - before
  GC.enable
  puts "#{Process.clock_gettime(Process::CLOCK_REALTIME)} #{cpu_ns}"
  sleep PERIOD_S
end
