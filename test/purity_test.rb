# frozen_string_literal: true

require "test_helper"
require "prism"

# In a feature, reading, computing and presenting are separate. The name of a file says which: commands,
# pages, readers and parts of the collector read the time, the environment, files and the store. Everything
# else gets values and returns values.
class PurityTest < Minitest::Test
  FEATURES = File.expand_path("../lib/holdup/features", __dir__)
  READS = /(?:\A|_)(?:command|page|reader|collector_part)\.rb\z/

  # File => why it is neither pure nor called like the others.
  EXCEPTIONS = {
    # The engine of advice.
    "advise/sizing/replay.rb" => "replays on half of the CPUs, unless the caller says how many",
    # Exporters get the clock with the store's commits, and bring the figures to others.
    "export/exported_metrics.rb" => "an exporter: dates what was stored last",
    "export/exporters.rb" => "makes the exporters, and has the file that they leave for the dashboard",
    "export/metrics_server.rb" => "an exporter: the server of /metrics",
    "export/otlp.rb" => "an exporter: dates its points, and finds the certificates",
    "export/statsd.rb" => "an exporter: the socket",
    "notify/channels.rb" => "brings notices to their receivers",
    "scaling/scaling_signal.rb" => "an exporter: dates the load of the last minutes",
    # The lab starts real servers and job runners, puts load on them and keeps what it measured.
    "lab/check.rb" => "reads the baseline and the store of a sweep",
    "lab/child.rb" => "a process that an experiment starts",
    "lab/exchange.rb" => "an HTTP request of the load",
    "lab/folders.rb" => "the folder of an experiment",
    "lab/in_memory_store.rb" => "a collector inside the experiment",
    "lab/jit.rb" => "asks each Ruby of the machine what it can do",
    "lab/jobs.rb" => "keeps what an arm measured",
    "lab/jobs/mix.rb" => "a job program that runs in a process of its own",
    "lab/jobs/run.rb" => "one run of a job runner",
    "lab/ledger_file.rb" => "the file that an experiment goes on from",
    "lab/load.rb" => "sends requests at their times",
    "lab/load_options.rb" => "options of the experiments' commands, with the defaults of this machine",
    "lab/load_tool.rb" => "runs a load tool of the user's",
    "lab/redis.rb" => "a Redis server that an experiment starts",
    "lab/route.rb" => "routes from a file or from what the store has recorded",
    "lab/server_under_test.rb" => "the server that an experiment starts",
    "lab/sidekiq_vcpu.rb" => "reads what the arms have stored",
    "lab/sidekiq_vcpu/jobs.rb" => "a job program that runs in a process of its own",
    "lab/sidekiq_vcpu/run.rb" => "one run of Sidekiq",
    "lab/sidekiq_vcpu/work.rb" => "measures how much work a second of CPU is here",
    "lab/sweep.rb" => "keeps what an arm measured",
    "lab/trial.rb" => "one run of the server, in the current folder",
    "lab/trial/warm_up.rb" => "asks the server until it is warm",
    # Between commands and what they read.
    "stores/copy.rb" => "reads one store and writes another",
    "top/live_text.rb" => "draws in the terminal, and tells how long it has",
    "top/terminal.rb" => "the keys and the size of the terminal"
  }.freeze

  # What a path says without a look at the file.
  PATHS = %i[absolute_path? basename dirname expand_path extname fnmatch fnmatch? join].freeze
  # What of Ruby and of ours asks the outside: these methods, nil for all.
  ASKED = {
    "Clock" => %i[new],
    "Time" => %i[now],
    "Process" => %i[clock_gettime daemon detach fork getpgid kill pid ppid spawn wait wait2],
    "Store" => %i[open default_url],
    "Dir" => nil,
    "IO" => %i[binread pipe popen read readlines select write],
    "Open3" => nil,
    "Etc" => nil,
    "SecureRandom" => nil,
    "TCPServer" => nil,
    "TCPSocket" => nil,
    "UDPSocket" => nil,
    "Socket" => nil,
    "CLI::Places" => nil,
    "Segment::Directory" => nil,
    "Capture::Archive" => %i[new read]
  }.freeze
  CLOCK = %i[realtime_s realtime_ns monotonic_ns].freeze
  STORES = /\A@?(?:[a-z_]+_)?store\z/
  ALONE = %i[` fork sleep spawn system].freeze

  def test_what_no_name_says_reads_nothing
    wrong = pure.reject { |file| EXCEPTIONS.key?(file) }.flat_map { |file| places(file) }
    assert_empty wrong
  end

  def test_every_exception_reads_something
    assert_operator pure.size, :>, 100
    assert_empty EXCEPTIONS.keys.select { |file| !pure.include?(file) || places(file).empty? }
  end

  def test_finds_what_is_read
    {
      "store.windows(1, 2)" => "store.windows",
      "Time.now - 1" => "Time.now",
      "@clock.realtime_s" => "realtime_s",
      "ENV.fetch('A')" => "ENV",
      "File.read(path)" => "File.read",
      "sleep(1)" => "sleep",
      "`ls`" => "`"
    }.each do |code, found|
      assert_equal [found], reads(Prism.parse(code).value).map(&:last), code
    end
    ["File.join(a, b)", "Reader.new(store)", "Time.at(now_s)", "capture.realtime_ns(1)"].each do |code|
      assert_empty reads(Prism.parse(code).value), code
    end
  end

  private

  # @return [Array<String>] files that the name does not let read, from features/
  def pure
    Dir["**/*.rb", base: FEATURES].sort.reject { |file| READS.match?(File.basename(file)) }
  end

  def places(file)
    reads(Prism.parse_file(File.join(FEATURES, file)).value).map { |line, what| "#{file}:#{line}: #{what}" }
  end

  # @return [Array<Array(Integer, String)>] line, and what is read there
  def reads(node)
    found = read_by(node)
    inside = node.compact_child_nodes.flat_map { |child| reads(child) }
    found ? [[node.location.start_line, found], *inside] : inside
  end

  def read_by(node)
    case node
    when Prism::ConstantReadNode then "ENV" if node.name == :ENV
    when Prism::XStringNode, Prism::InterpolatedXStringNode then "`"
    when Prism::CallNode then call(node)
    end
  end

  def call(node)
    receiver = node.receiver
    return (node.name.to_s if ALONE.include?(node.name)) unless receiver
    return node.name.to_s if CLOCK.include?(node.name) && receiver.slice.end_with?("clock")
    return asked(receiver.slice.delete_prefix("Holdup::"), node.name) if constant?(receiver)
    "#{receiver.slice}.#{node.name}" if STORES.match?(receiver.slice) && node.name != :to_s
  end

  def constant?(node) = node.is_a?(Prism::ConstantReadNode) || node.is_a?(Prism::ConstantPathNode)

  def asked(name, method)
    return ("#{name}.#{method}" unless PATHS.include?(method)) if name == "File"
    "#{name}.#{method}" if ASKED.key?(name) && (ASKED[name].nil? || ASKED[name].include?(method))
  end
end
