# frozen_string_literal: true

# The planted work behind HTTP.
require "holdup"
require "whom/planted_waits"

ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ENV.fetch("WHOM_DATABASE"), pool: 10)

run(lambda do |env|
  name = env["PATH_INFO"].delete_prefix("/")
  PlantedWaits.call(name) unless name == "up"
  [200, {}, [name]]
end)
