# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

# Who may require whom. Data flows one way, so an arrow that points back is a mistake in the design, not in a detail.
# The table is docs/architecture.md's; a file belongs to the part of its folder, or is a part by itself.
class ArchitectureTest < Minitest::Test
  LIB = File.expand_path("../lib/holdup", __dir__)
  ROOT = File.expand_path("..", __dir__)

  VALUES = %w[clock collection_state errors histogram measurement outcome series setting skipped_row unit_profile utf8 version window].freeze

  # part => the parts that it may require, itself and values aside
  ALLOWED = {
    "advice" => %w[analysis],
    "analysis" => %w[jit probe],
    "base" => %w[configuration instrumentation log recorder runtime servers],
    "capture" => %w[flat_json segment],
    "cli" => %w[advice analysis capture collector configuration doctor inquiry lab log reports runtime segment stores terraform timeline web],
    "collector" => %w[capture guard log segment setting_facts timeline],
    "configuration" => %w[capture],
    "doctor" => %w[analysis capture configuration inquiry probe segment],
    "exec" => %w[instrumentation runtime servers],
    "exec_boot" => %w[base exec],
    "flat_json" => [],
    "fork_hook" => %w[guard],
    "guard" => %w[log],
    "inquiry" => %w[analysis],
    "instrumentation" => %w[guard recorder],
    "jit" => [],
    "lab" => %w[analysis collector log reports segment stores],
    "log" => [],
    "probe" => [],
    "rails" => %w[base instrumentation],
    "recorder" => %w[guard],
    "reports" => %w[analysis],
    "runtime" => %w[capture collector configuration flat_json fork_hook guard jit log probe recorder segment servers setting_facts stats_log stores],
    "segment" => [],
    "servers" => %w[instrumentation],
    "setting_facts" => %w[flat_json probe],
    "stats_log" => %w[jit segment],
    "stores" => %w[probe],
    "terraform" => %w[stats_log],
    "timeline" => %w[capture],
    "web" => %w[advice analysis capture configuration doctor inquiry reports stores timeline]
  }.freeze

  # The half that runs inside the application: nothing but Ruby and what the application has.
  IN_APP = %w[base capture configuration exec flat_json fork_hook guard instrumentation jit log probe recorder runtime segment servers setting_facts stats_log].freeze
  GEMS_OF_THE_OTHER_HALF = /\/(sequel|sqlite3|bigdecimal|roda|rack)[\/.-]/
  # Rails, RUBYOPT and Sequel's migrator bring what these stand on.
  LOADED_BY_A_HOST = %r{\A(rails\.rb|exec_boot\.rb|stores/migrations/)}

  def test_no_arrow_points_back
    wrong = files.flat_map do |file|
      required_parts(file).reject { |part| allowed?(part_of(file), part) }.map { |part| "#{relative(file)} requires #{part}" }
    end
    assert_empty wrong
  end

  def test_every_part_is_in_the_table
    assert_empty files.map { |file| part_of(file) }.uniq - ALLOWED.keys - VALUES
  end

  def test_each_file_loads_alone_in_a_fresh_ruby
    loadable = files.reject { |file| LOADED_BY_A_HOST.match?(relative(file)) }
    assert_equal loadable.size, loadable.map { |file| relative(file) }.uniq.size
    assert_empty troubles(loadable)
  end

  def test_the_in_app_half_loads_no_gem
    parts = IN_APP.select { |part| File.exist?("#{LIB}/#{part}.rb") }.map { |part| "holdup/#{part}" }
    output = plain_ruby("ARGV.each { |part| require part }\nputs $LOADED_FEATURES", "holdup", *parts)
    assert_includes output, "holdup/runtime.rb"
    assert_empty output.lines.reject { |file| file.start_with?(LIB) }.grep(GEMS_OF_THE_OTHER_HALF)
  end

  def test_loading_the_gem_starts_nothing
    output = plain_ruby(<<~RUBY)
      threads = Thread.list.size
      require "holdup"
      puts [Thread.list.size - threads, Holdup.running?, Holdup::Probe.enabled?].join(" ")
    RUBY
    assert_equal "0 false false", output.chomp
  end

  private

  def files = Dir["#{LIB}/**/*.rb"].sort

  def relative(file) = file.delete_prefix("#{LIB}/")

  def part_of(file) = relative(file).split("/").first.delete_suffix(".rb")

  def required_parts(file)
    targets = File.read(file).scan(/require_relative "([^"]+)"/).flatten.map { |path| File.expand_path(path, File.dirname(file)) }
    targets += File.read(file).scan(/require "holdup\/([^"]+)"/).flatten.map { |path| File.join(LIB, path) }
    targets.select { |path| path.start_with?("#{LIB}/") }.map { |path| part_of(path) }.uniq
  end

  def allowed?(from, to)
    return true if from == to
    return VALUES.include?(from) if VALUES.include?(to) && VALUES.include?(from)
    VALUES.include?(to) || ALLOWED.fetch(from, []).include?(to)
  end

  # Without Bundler, which would have everything of the Gemfile at hand.
  def plain_ruby(script, *arguments)
    bare = {"RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLE_GEMFILE" => nil}
    output, status = Open3.capture2e(bare, RbConfig.ruby, "-W0", "-I#{File.dirname(LIB)}", "-e", script, *arguments)
    assert status.success?, output
    output
  end

  # One Ruby that has loaded nothing forks a child for each file: as fresh as a new one, and far sooner there.
  LOADER = <<~RUBY
    ARGV.each do |file|
      reader, writer = IO.pipe
      pid = fork do
        [$stdout, $stderr].each { |io| io.reopen(writer) }
        require file
        $stdout.flush
        exit!(0)
      rescue Exception => error
        warn error.full_message
        exit!(1)
      end
      writer.close
      said = reader.read
      _, status = Process.wait2(pid)
      STDOUT.puts([file, status.success?, said].inspect)
    end
  RUBY

  # @return [Array<String>] of the files that do not load alone, or warn
  def troubles(files)
    output, status = Open3.capture2e(RbConfig.ruby, "-w", "-I#{File.dirname(LIB)}", "-e", LOADER, *files)
    assert status.success?, output
    lines = output.lines.map { |line| line.match(/\A\["([^"]+)", (true|false), (.*)\]\n/).captures }
    assert_equal files, lines.map(&:first)
    lines.filter_map { |file, loaded, said| "#{relative(file)}: #{said}" if loaded == "false" || said.include?("#{ROOT}/lib") }
  end
end
