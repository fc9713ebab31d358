# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "tmpdir"

module Bench
  Failure = Class.new(StandardError)

  # Runs one arm in a Ruby of its own, so that no tool's hook is there when another one is measured.
  #
  # Where things lie in memory can make the same code a quarter slower, and the size of the environment shifts
  # it. One size for all would be luck that repeats in every round, so each process gets another: the luck is
  # in the spread.
  module Fresh
    ROOT = File.expand_path("../..", __dir__)
    ARMS = File.join(__dir__, "arms")
    LOAD_PATH = %w[lib test benchmark/support].map { |folder| "-I#{File.join(ROOT, folder)}" }.freeze
    SECONDS = 300
    PADDING_BYTES = 4096
    # What Bundler sets for the programs of a program that it has set up; a server's environment has it not.
    UNSET = {"GEM_HOME" => nil, "GEM_PATH" => nil}.freeze
    SHARED_MEMORY = "/dev/shm"

    # @param arm [String] name of a script in arms/
    # @param arguments [Array] for it
    # @param options [Array<String>] for Ruby
    # @param wrapper [Array<String>] command in front of Ruby, such as valgrind's
    # @param random [Random] for the size of its environment
    # @param ruby [String] path of another one
    # @param seconds [Integer] after which it is ended
    # @return [Object] the JSON in the last line that it prints
    # @raise [Failure] when it fails, or takes too long
    def self.call(arm, *arguments, options: ["--yjit"], wrapper: [], env: {}, random: Random,
      ruby: RbConfig.ruby, seconds: SECONDS)
      command = ["timeout", "--signal=KILL", seconds.to_s, *wrapper, ruby, *options, *LOAD_PATH,
        File.join(ARMS, "#{arm}.rb"), *arguments.map(&:to_s)]
      output, errors, status = scratch { |dir| Open3.capture3({**environment(dir, random), **env}, *command) }
      unless status.success?
        raise Failure, "#{arm} #{arguments.join(" ")}: #{status}\n#{errors.lines.last(20).join}"
      end
      JSON.parse(output.lines.last)
    end

    def self.environment(scratch, random)
      {**UNSET, "HOLDUP_BENCH_SCRATCH" => scratch, "HOLDUP_BENCH_PADDING" => "x" * random.rand(PADDING_BYTES)}
    end
    private_class_method :environment

    # What arms write stays in memory and goes away, however they end.
    def self.scratch(&)
      Dir.mktmpdir("holdup-bench", File.writable?(SHARED_MEMORY) ? SHARED_MEMORY : nil, &)
    end
  end
end
