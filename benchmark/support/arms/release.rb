# frozen_string_literal: true

# release.rb TOOL OPEN RELEASES: prints the nanoseconds of one release and reacquire of the GVL by a thread
# that has a measurement open, next to OPEN - 1 sleeping threads that have one too.

require "json"
require "clocked"
require "tools"

tool = Bench::Tools.find(ARGV[0])
others = ARGV[1].to_i - 1
releases = ARGV[2].to_i

tool.start
ready = Queue.new
others.times do
  Thread.new do
    tool.open
    ready << true
    sleep
  end
end
others.times { ready.pop }
open = [tool.open] # some tools measure for as long as their object lives
nanoseconds = Bench::Clocked.slices(releases) { |count| GvlWork.release(count) }
open.clear
puts JSON.generate(nanoseconds)
$stdout.flush
exit!(0) # sleeping threads with open timers: nothing worth an orderly end
