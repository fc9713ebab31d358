# frozen_string_literal: true

require "zeitwerk"

# Loads the half that runs outside of the application: the collector, the command line, the dashboard and what
# they use. Zeitwerk loads its files when they are needed. The in-app half, the values and the file formats
# are required here by name, as in the application, where no gem may be needed. They are in the gem
# `holdup-agent`, which has a folder of its own once it is installed.
module Holdup
end

# Files of two copies don't work together.
agent = $LOAD_PATH.find { |path| File.file?(File.join(path, "holdup/version.rb")) }
if agent && defined?(Holdup::FOLDER) && File.realpath(File.join(agent, "holdup")) != Holdup::FOLDER
  raise LoadError, "this process has loaded another copy of Holdup already: #{Holdup::FOLDER}"
end

require "holdup/version"
require "holdup/model/errors"
require "holdup/model/audit_entry"
require "holdup/model/autopilot_folder"
require "holdup/model/autopsy"
require "holdup/model/change_reason"
require "holdup/model/clock"
require "holdup/model/collector_checkpoint"
require "holdup/model/exit_note"
require "holdup/model/experiment_plan"
require "holdup/model/exported_figures"
require "holdup/model/flat_json"
require "holdup/model/arrival_block"
require "holdup/model/arrival_block/codec"
require "holdup/model/histogram"
require "holdup/model/jit_memory"
require "holdup/model/lever"
require "holdup/model/memory_peaks"
require "holdup/model/retained_blocks"
require "holdup/model/measurement"
require "holdup/model/notice"
require "holdup/model/prediction_outcome"
require "holdup/model/ruby_version"
require "holdup/model/sample_block"
require "holdup/model/sample_block/codec"
require "holdup/model/series"
require "holdup/model/setting"
require "holdup/model/slowest_block"
require "holdup/model/slowest_block/codec"
require "holdup/model/template_method"
require "holdup/model/unit_numbers"
require "holdup/model/utf8"
require "holdup/model/waiting_queue"
require "holdup/model/warm_up"
require "holdup/model/quantities"
require "holdup/model/window"
require "holdup/model/recent_figures"
require "holdup/model/recent_figures/codec"
require "holdup/segment/directory"
require "holdup/segment/layout"
require "holdup/segment/slot"
require "holdup/capture/archive"
require "holdup/capture/client"
require "holdup/capture/controller"
require "holdup/capture/event_log"
require "holdup/capture/header"
require "holdup/capture/rule_watch"
require "holdup/agent/configuration"
require "holdup/agent/configuration/documents"
require "holdup/agent/child_environment"
require "holdup/agent/child_launch"
require "holdup/agent/jit/activation"
require "holdup/agent/jit/snapshot"
require "holdup/agent/jit/requested_mode"
require "holdup/agent/jit/ruby_options"
require "holdup/agent/log"
require "holdup/agent/main_gem"
require "holdup/agent/probe"
require "holdup/agent/rails_program"
require "holdup/agent/runtime/collector_supervisor"
require "holdup/agent/servers"
require "holdup/agent/deployed_revision"
require "holdup/agent/setting_facts"
require "holdup/agent/stats_log/log_line"

module Holdup
  # Loads everything outside of agent/, capture/, hooks/, model/ and segment/.
  LOADER = Zeitwerk::Loader.new.tap do |loader|
    loader.tag = "holdup"
    loader.inflector.inflect("cli" => "CLI")
    loader.push_dir(__dir__, namespace: Holdup)
    # `Holdup::Compare::Command` is in features/compare/command.rb, `Holdup::Web` in shell/web.rb. Folders
    # without Ruby, such as features/compare/locales/, are no namespaces.
    loader.collapse("#{__dir__}/features", "#{__dir__}/shell")
    loader.ignore(
      "#{__dir__}/agent", "#{__dir__}/base.rb", "#{__dir__}/capture", "#{__dir__}/hooks",
      "#{__dir__}/loader.rb", "#{__dir__}/model", "#{__dir__}/native", "#{__dir__}/segment",
      "#{__dir__}/version.rb", "#{__dir__}/yabeda.rb", "#{__dir__}/store/migrations",
      # exe/holdup loads these two before Zeitwerk.
      "#{__dir__}/shell/compiled_code.rb", "#{__dir__}/shell/short_load_path.rb",
      # Job programs that an experiment runs in separate processes.
      "#{__dir__}/features/lab/jobs/mix.rb", "#{__dir__}/features/lab/sidekiq_vcpu/jobs.rb"
    )
    loader.setup
  end
  private_constant :LOADER
end
