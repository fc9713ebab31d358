# frozen_string_literal: true

# One line for each test as it ends, in the file that HOLDUP_TEST_TIMES names. bin/test reads there how far a
# run is and what failed.
class TestTimes < Minitest::AbstractReporter
  HEAD = "# %d tests: seconds, CPU seconds with those of ended children, result, test, place, why it failed"
  ROOT = "#{File.expand_path("../..", __dir__)}/"
  # A line that ends a Ruby of a child, in what a test says of it: "... (Errno::EADDRINUSE)".
  EXCEPTION = /\((?:[A-Z]\w*::)*[A-Z]\w*\)$/
  WHY_CHARACTERS = 200
  # As `--name` takes it.
  PATTERN = %r{\A/(.*)/\z}

  # @param options [Hash] minitest's
  # @return [Integer] how many tests will run
  def self.count(options)
    pattern = options[:include] || options[:filter]
    names = Minitest::Runnable.runnables.flat_map(&:runnable_methods)
    return names.size unless pattern
    chosen = pattern[PATTERN, 1] ? Regexp.new(pattern[PATTERN, 1]) : /\A#{Regexp.escape(pattern)}\z/
    names.grep(chosen).size
  end

  def initialize(path, count)
    super()
    @path = path
    @count = count
  end

  def start
    @file = File.open(@path, "w")
    @file.sync = true
    @file.puts format(HEAD, @count)
  end

  def record(result)
    place = result.source_location.join(":").delete_prefix(ROOT)
    times = [result.time, result.metadata[:cpu_s].to_f].map { |seconds| format("%.3f", seconds) }
    @file.puts [*times, result.result_code, "#{result.klass}##{result.name}", place, *why(result)].join("\t")
  end

  private

  # The log of a server can be long: what it ended by says more than its last lines.
  def why(result)
    lines = result.failures.first&.message&.lines(chomp: true)
    return unless lines
    [*lines.first(2), *lines.find { |line| EXCEPTION.match?(line) }].uniq.map { |line|
      line.gsub(/[[:cntrl:]]/, " ")[0, WHY_CHARACTERS]
    }.join(" | ")
  end
end

module Minitest
  def self.plugin_test_times_init(options)
    path = ENV.delete("HOLDUP_TEST_TIMES")
    reporter << TestTimes.new(path, TestTimes.count(options)) if path
  end
end
Minitest.extensions << "test_times"
