# frozen_string_literal: true

require "test_helper"
require "contracts/server_contract"
require "puma/const"

# The current Puma: a cluster that loads the application first.
class PumaContractTest < Minitest::Test
  include ServerContract
  include PumaRestarts

  def server_command
    %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]
  end

  def server_gems
    {"puma" => Puma::Const::VERSION, "rackup" => ">= 2"}
  end

  def server_facts
    {"server" => "puma", "server_version" => Puma::Const::VERSION, "workers" => 2, "threads" => 3,
     "min_threads" => 3, "preload" => true}
  end

  def server_levers
    {"threads" => 3, "processes" => 2, "max_io_threads" => 0, "preload" => true, "fork_worker" => false}
  end

  def server_env = ServedApp::LONG_SHUTDOWN

  # What was before a hot restart may be stuck: nothing of it is looked at.
  def restarted_env = {"SHUTDOWN_TIMEOUT" => "1"}

  def server_restarts = {"a hot restart" => method(:hot)}
end
