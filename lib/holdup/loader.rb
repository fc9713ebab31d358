# frozen_string_literal: true

require "zeitwerk"

# Loads the half that runs outside of the application: the collector, the command line, the dashboard and what
# they use. Zeitwerk loads its files when they are needed. The in-app half, the values and the file formats
# are required here by name, as in the application, where no gem may be needed.
module Holdup
end

require_relative "version"
require_relative "model/errors"
require_relative "model/autopilot_folder"
require_relative "model/clock"
require_relative "model/collection_state"
require_relative "model/experiment_plan"
require_relative "model/flat_json"
require_relative "model/histogram"
require_relative "model/measurement"
require_relative "model/prediction_outcome"
require_relative "model/sample_block"
require_relative "model/sample_block/codec"
require_relative "model/series"
require_relative "model/setting"
require_relative "model/utf8"
require_relative "model/window"
require_relative "segment/directory"
require_relative "segment/layout"
require_relative "segment/slot"
require_relative "capture/archive"
require_relative "capture/client"
require_relative "capture/controller"
require_relative "capture/event_log"
require_relative "capture/header"
require_relative "agent/configuration"
require_relative "agent/configuration/documents"
require_relative "agent/jit/snapshot"
require_relative "agent/jit/options"
require_relative "agent/log"
require_relative "agent/missing_library"
require_relative "agent/probe"
require_relative "agent/runtime/collector_supervisor"
require_relative "agent/setting_facts"
require_relative "agent/stats_log/log_line"

module Holdup
  # Loads everything outside of agent/, model/, segment/ and capture/.
  LOADER = Zeitwerk::Loader.new.tap do |loader|
    loader.tag = "holdup"
    loader.inflector.inflect("cli" => "CLI")
    loader.push_dir(__dir__, namespace: Holdup)
    loader.ignore(
      "#{__dir__}/agent", "#{__dir__}/base.rb", "#{__dir__}/capture", "#{__dir__}/loader.rb",
      "#{__dir__}/model", "#{__dir__}/native", "#{__dir__}/segment", "#{__dir__}/version.rb",
      "#{__dir__}/store/migrations",
      # Job programs that an experiment runs in separate processes.
      "#{__dir__}/lab/jobs/mix.rb", "#{__dir__}/lab/sidekiq_vcpu/jobs.rb"
    )
    loader.setup
  end
  private_constant :LOADER
end
