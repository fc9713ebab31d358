# frozen_string_literal: true

# The planted work as jobs of Solid Queue: solid_queue.rb runs them, solid_queue.rb COUNT NAME... enqueues.
require_relative "../../../test/integration/apps/jobs/config/environment"
require "solid_queue/cli"
require "whom/planted_waits"

class PlantedWork < ActiveJob::Base
  def perform = PlantedWaits.call(self.class.name.delete_suffix("Work").downcase)
end

PlantedWaits::NAMES.each { |name| Object.const_set("#{name.capitalize}Work", Class.new(PlantedWork)) }

if ARGV.empty?
  SolidQueue::Cli.start(["start", "--config_file", File.join(__dir__, "queue.yml")])
else
  count = Integer(ARGV.shift)
  jobs = Array.new(count) { ARGV }.flatten.map { |name| Object.const_get("#{name.capitalize}Work").new }
  jobs.each_slice(500) { |slice| ActiveJob.perform_all_later(slice) }
end
