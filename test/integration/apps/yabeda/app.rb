# frozen_string_literal: true

# Measures jobs in a process and in its fork, and prints what Yabeda's adapter for Prometheus says of each,
# and what the segment has of the first.
require "json"
require "holdup"
require "yabeda/prometheus"
require "holdup/yabeda"

def scrape
  _, _, body = Yabeda::Prometheus::Exporter.call(Rack::MockRequest.env_for("/"))
  body.to_a.join
end

def measured
  jobs = Holdup::StatsLog::ProcessTotals.of(Holdup::StatsLog::OwnSegment.new(Holdup::Probe).reader)
  {sums: jobs.sums.transform_values { |ns| ns / 1e9 }, count: jobs.units}
end

def work(count, name: "ReportJob")
  count.times { Holdup.measure(name, queue: "low") { 2000.times { "x" * 100 } } }
end

Yabeda.configure!
Holdup.start
work(300)
Holdup.measure("FailedJob") { raise "failed" } rescue nil # rubocop:disable Style/RescueModifier
first = scrape
again = scrape
work(50)
third = scrape
inside = measured

reader, writer = IO.pipe
child = fork do
  work(7, name: "ChildJob")
  writer.write(scrape)
  writer.close
  exit!(0)
end
writer.close
forked = reader.read
Process.wait(child)
puts JSON.generate(first:, again:, third:, forked:, measured: inside,
  failures: Holdup.runtime.guard.failures)
