# frozen_string_literal: true

require_relative "../../../test/support/free_ports"
require_relative "../../../test/support/postgres_server"
require_relative "../fresh"

module Bench
  # benchmark/database_app with a PostgreSQL of its own behind TCP, its rows made, in a folder that goes away.
  class TrackerApp
    ROOT = File.join(Fresh::ROOT, "benchmark/database_app")

    # @return [String] for logs and stores
    attr_reader :folder

    # @return [Hash{String => String}] what the application reads
    attr_reader :env

    # @param env [Hash{String => String}] more of what the application reads
    # @yieldparam app [TrackerApp]
    # @return [Object] the block's value
    # @raise [Failure]
    def self.open(env: {})
      raise Failure, "no PostgreSQL here: bin/setup --services installs it" unless PostgresServer.installed?
      Dir.mktmpdir("holdup-bench") do |folder|
        PostgresServer.run(port: FreePorts.take) do |postgres|
          yield new(folder, url: postgres.create("tracker"), env:).prepare
        end
      end
    end

    def initialize(folder, url:, env: {})
      @folder = folder
      @env = {"RAILS_ENV" => "production", "DATABASE_URL" => url, **env}
    end

    # @return [TrackerApp] the same, with more of what the application reads
    def with(env)
      TrackerApp.new(folder, url: @env.fetch("DATABASE_URL"), env: @env.merge(env))
    end

    # @return [self]
    # @raise [Failure]
    def prepare
      run("db/prepare.rb", failure: "the tracker's database could not be made")
      self
    end

    # @param paths [Array<String>] of pages
    # @return [Array<Integer>] how many queries each sends
    # @raise [Failure]
    def queries(paths)
      output = run("bin/count_queries", JSON.generate(paths), failure: "the queries could not be counted")
      JSON.parse(output.lines.last)
    end

    private

    # @param script [String] of the application, which is not measured
    # @param input [String] for it
    # @return [String] what it prints
    # @raise [Failure]
    def run(script, input = "", failure:)
      output, errors, status = Open3.capture3({**env, "HOLDUP_ENABLED" => "false"}, RbConfig.ruby,
        *Fresh::LOAD_PATH, script, chdir: ROOT, stdin_data: input)
      return output if status.success?
      raise Failure, "#{failure}:\n#{(output + errors).lines.last(8).join}"
    end
  end
end
