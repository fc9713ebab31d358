# frozen_string_literal: true

# ruby fork_storm.rb FORKS KILLS: forks so many children of a measured process, each of which runs jobs; kills
# so many of them in the middle, spread evenly.
require "holdup"
require_relative "finished_units"

forks, kills = ARGV.map { |text| Integer(text) }
JOBS = 3

def work
  Soak::FinishedUnits.file.begin
  Holdup.measure("forked job", queue: "storm") { 200.times.sum }
  Soak::FinishedUnits.file.finish
end

Holdup.start or abort "not started"
random = Random.new(1)
forks.times do |number|
  killed = (number * kills) / forks != ((number + 1) * kills) / forks
  reader, writer = IO.pipe
  pid = fork do
    JOBS.times { work }
    writer.write(".")
    loop { work } if killed
  end
  writer.close
  stuck = reader.wait_readable(20).nil?
  sleep(random.rand(0.0..0.003)) if killed
  Process.kill(:KILL, pid) if killed || stuck
  Process.wait(pid)
  reader.close
  warn "a child was stuck in fork" if stuck
end
