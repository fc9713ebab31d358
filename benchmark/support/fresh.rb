# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "tmpdir"

module Bench
  Failure = Class.new(StandardError)

  # Runs one arm in a Ruby of its own, so that no tool's hook is there when another one is measured.
  module Fresh
    ROOT = File.expand_path("../..", __dir__)
    ARMS = File.join(__dir__, "arms")
    LOAD_PATH = %w[lib test benchmark/support].map { |folder| "-I#{File.join(ROOT, folder)}" }.freeze
    SECONDS = 300
    SHARED_MEMORY = "/dev/shm"

    # @param arm [String] name of a script in arms/
    # @param arguments [Array] for it
    # @param options [Array<String>] for Ruby
    # @param wrapper [Array<String>] command in front of Ruby, such as valgrind's
    # @return [Object] the JSON in the last line that it prints
    # @raise [Failure] when it fails, or takes too long
    def self.call(arm, *arguments, options: ["--yjit"], wrapper: [], env: {})
      command = ["timeout", "--signal=KILL", SECONDS.to_s, *wrapper, RbConfig.ruby, *options, *LOAD_PATH,
        File.join(ARMS, "#{arm}.rb"), *arguments.map(&:to_s)]
      output, errors, status = scratch { |dir| Open3.capture3({"HOLDUP_BENCH_SCRATCH" => dir, **env}, *command) }
      raise Failure, "#{arm} #{arguments.join(" ")}: #{status}\n#{errors.lines.last(20).join}" unless status.success?
      JSON.parse(output.lines.last)
    end

    # What arms write stays in memory and goes away, however they end.
    def self.scratch(&) = Dir.mktmpdir("holdup-bench", File.writable?(SHARED_MEMORY) ? SHARED_MEMORY : nil, &)
  end
end
