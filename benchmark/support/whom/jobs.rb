# frozen_string_literal: true

# The planted work as jobs of Sidekiq, which loads this file. As a program it pushes: jobs.rb COUNT NAME...
require "holdup"
require "sidekiq"
require "whom/planted_waits"

class PlantedWork
  include Sidekiq::Job

  def perform = PlantedWaits.call(self.class.name.delete_suffix("Work").downcase)
end

PlantedWaits::NAMES.each { |name| Object.const_set("#{name.capitalize}Work", Class.new(PlantedWork)) }

if $PROGRAM_NAME == __FILE__
  count = Integer(ARGV.shift)
  count.times { ARGV.each { |name| Sidekiq::Client.push("class" => "#{name.capitalize}Work", "args" => []) } }
else
  ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ENV.fetch("WHOM_DATABASE"), pool: 30)
  Holdup.start
end
