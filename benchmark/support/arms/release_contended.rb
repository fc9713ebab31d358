# frozen_string_literal: true

# release_contended.rb TOOL THREADS RELEASES: prints the nanoseconds of CPU that one release and reacquire of
# the GVL takes while so many threads, each with a measurement open, do nothing else: each waits for others.

require "json"
require "clocked"
require "tools"

tool = Bench::Tools.find(ARGV[0])
threads, releases = ARGV.drop(1).map { |text| Integer(text) }
work = Array.new(threads) { Queue.new }
done = Queue.new

tool.start
work.each do |rounds|
  Thread.new do
    open = tool.open
    while (count = rounds.pop)
      GvlWork.release(count)
      done << open.nil?
    end
  end
end
nanoseconds = Bench::Clocked.slices(releases) do |count|
  work.each { |rounds| rounds << count / threads }
  threads.times { done.pop }
end
puts JSON.generate(nanoseconds)
$stdout.flush
exit!(0) # as release.rb
