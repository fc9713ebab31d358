# frozen_string_literal: true

# Makes the tables and the same rows for every run.
require_relative "../config/environment"
require_relative "schema"
require_relative "seeds"

if Tracker::JOB_RUNNER == "solid_queue"
  load File.join(Gem.loaded_specs.fetch("solid_queue").full_gem_path,
    "lib/generators/solid_queue/install/templates/db/queue_schema.rb")
end
