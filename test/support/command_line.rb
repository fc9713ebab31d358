# frozen_string_literal: true

require "open3"
require "rbconfig"
require "stringio"

# Runs the command line: inside this process for what it says, as a real process where a process matters.
module CommandLine
  EXE = File.expand_path("../../exe/holdup", __dir__)
  Said = Data.define(:status, :out, :err)

  # Gems that the commands need, beside what these need.
  NEEDED = %w[holdup pg trilogy prometheus-client].freeze

  # @return [Array<String>] load path of these gems
  def self.load_path(names)
    specs = {}
    waiting = names.dup
    while (name = waiting.shift)
      spec = Gem.loaded_specs[name]
      next if spec.nil? || spec.default_gem? || specs.key?(name)
      specs[name] = spec
      waiting.concat(spec.runtime_dependencies.map(&:name))
    end
    specs.values.flat_map(&:full_require_paths)
  end

  # Environment of commands that take a second: Bundler would be most of that, looking for all gems of the
  # tests.
  OWN_LOAD_PATH = {"RUBYOPT" => nil, "RUBYLIB" => load_path(NEEDED).join(":")}.freeze

  # A clock that stands still.
  Still = Data.define(:now_s) do
    def realtime_s = now_s

    def realtime_ns = now_s * 1_000_000_000

    def monotonic_ns = realtime_ns
  end

  # @return [Said] exit status and what was written
  def holdup(*arguments, env: {}, now_s: 1_790_000_000)
    require "holdup/loader"
    out = StringIO.new
    err = StringIO.new
    console = Holdup::CLI::Console.new(out:, err:, env: {"HOME" => "/nonexistent"}.merge(env),
      clock: Still.new(now_s:))
    Said.new(status: Holdup::CLI.new(console:).run(arguments), out: out.string, err: err.string)
  end

  # @return [Said] of a process of its own
  def holdup_process(*arguments, env: {}, **options)
    out, err, status = Open3.capture3(env, RbConfig.ruby, EXE, *arguments, **options)
    Said.new(status: status.exitstatus, out:, err:)
  end

  # @yieldparam path [String] a SQLite store with the sample's windows
  def with_store(sample = SampleWindows.new, processes = [])
    require "holdup/loader"
    require "tmpdir"
    Dir.mktmpdir do |folder|
      path = File.join(folder, "store.sqlite3")
      store = Holdup::Store.open(path)
      store.commit(sample.respond_to?(:stored) ? sample.stored : sample.to_a, {}, processes:)
      store.close
      yield path
    end
  end
end
