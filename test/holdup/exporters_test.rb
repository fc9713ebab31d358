# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::ExportersTest < Minitest::Test
  include TemporaryFolder

  def around(export, **options)
    Holdup::Exporters.around(:store, export, dir: folder, log: @log = CollectedLog.new, **options)
  end

  def test_without_the_setting_the_store_is_unchanged
    assert_equal :store, around(nil)
  end

  # As with `config.collector = :thread`.
  def test_a_collector_in_a_thread_exports
    configuration = Holdup::Configuration.build do |config|
      config.collector = :thread
      config.dir = File.join(folder, "segments")
      config.store = File.join(folder, "store.sqlite3")
      config.prometheus = :web
    end
    log = CollectedLog.new
    collector = Holdup::Runtime::Collectors.build(configuration, env: {}, log:)
    collector.start
    file = Holdup::Exporters::MetricsFile.new(configuration.dir)
    assert_includes wait_until { file.read }, "holdup_exporter_series 0"
  ensure
    collector&.stop
    assert_empty log&.lines.to_a
  end

  def test_without_its_gem_nothing_is_exported_and_the_log_says_what_to_install
    script = <<~RUBY
      require "holdup"
      require "holdup/loader"
      log = Object.new
      def log.warn(line) = puts(line)
      export = Holdup::ConfigurationKeys::PrometheusExport.new
      p Holdup::Exporters.around(:store, export, dir: ARGV[0], log:)
    RUBY
    zeitwerk = $LOAD_PATH.grep(/zeitwerk/).flat_map { |path| ["-I", path] }
    lib = File.expand_path("../../lib", __dir__)
    command = [RbConfig.ruby, "--disable=gems", "-I", lib, *zeitwerk, "-e", script, folder]
    output = IO.popen([{"RUBYOPT" => nil}, *command], &:read)
    assert_match(/needs the gem prometheus-client.*`gem install prometheus-client`$/, output)
    assert_equal ":store", output.lines.last.chomp
  end
end
