# frozen_string_literal: true

require "test_helper"
require "contracts/server_contract"
require "puma/const"

class PumaContractTest < Minitest::Test
  include ServerContract

  def server_command = %w[bundle exec ruby -W:deprecated -S puma -C puma.rb]

  def server_gems = {"puma" => Puma::Const::VERSION, "rackup" => ">= 2"}

  def server_facts = {"server" => "puma", "server_version" => Puma::Const::VERSION, "workers" => 2, "threads" => 3, "min_threads" => 3, "preload" => true}
end
