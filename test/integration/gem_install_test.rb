# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"

# The gems on a machine that has never seen this folder: built, installed into an empty GEM_HOME beside the
# gems that they need and no other, without a registry, and started under Puma: the agent alone and both,
# compiled while they are installed and precompiled.
class GemInstallTest < Minitest::Test
  include FirstAnswer

  ROOT = ServedApp::ROOT
  PLAIN = {**OtherBundle::NONE, "BUNDLE_PATH" => nil,
           "MAKEFLAGS" => "-j2"}.freeze
  # Not in the bundle of an application that only measures.
  OTHER_HALF = %w[holdup sequel sqlite3 bigdecimal roda rack zeitwerk i18n erubi tilt].freeze

  class << self
    # @return [String] a GEM_HOME with the agent, compiled once
    def compiled_home
      @compiled_home ||= File.join(folder, "compiled").tap do |home|
        install(build("holdup-agent"), home)
      end
    end

    # @return [String] path of the gem, built once
    def build(name)
      (@built ||= {})[name] ||= File.join(folder, "#{name}.gem").tap do |path|
        run_command("gem", "build", "#{name}.gemspec", "--output", path, chdir: ROOT)
      end
    end

    # Without a registry: what the gem needs has to be there.
    def install(gem, home)
      run_command("gem", "install", "--local", "--conservative", "--no-document", gem, env: environment(home))
    end

    def environment(home) = PLAIN.merge("GEM_HOME" => home, "GEM_PATH" => home)

    # @return [String] what Ruby printed
    def run_command(*arguments, env: PLAIN, **options)
      arguments = ["-S", *arguments] unless arguments.first == "-e"
      printed, status = Open3.capture2e(env, RbConfig.ruby, *arguments, **options)
      raise printed unless status.success?
      printed
    end

    private

    def folder
      @folder ||= Dir.mktmpdir.tap { |path| Minitest.after_run { FileUtils.remove_entry(path) } }
    end
  end

  def setup
    @root = Dir.mktmpdir
    @home = File.join(@root, "home")
  end

  def teardown = FileUtils.remove_entry(@root)

  thorough def test_the_agent_alone_measures_and_says_what_it_lacks
    FileUtils.cp_r(self.class.compiled_home, @home)
    bring("puma")
    serve_in_a_bundle("puma", "holdup-agent") do |app|
      loaded = app.get("/loaded").body.lines(chomp: true)
      assert_includes loaded, "holdup-agent"
      assert_empty loaded.grep(%r{\A(#{OTHER_HALF.join("|")})\z|/gems/(#{OTHER_HALF.join("|")})-\d})
      app.stop
      assert_equal({"GET /loaded" => 1}, app.counts)
      assert_match(/nothing carries the figures in #{app.dir} to .*: add `gem "holdup"` to #{@root}/, app.log)
    end
    assert_match(/\AHoldup::Web is in the gem holdup,.*; run `gem install holdup -v /, refused_dashboard)
  end

  thorough def test_compiled_they_measure_and_report
    FileUtils.cp_r(self.class.compiled_home, @home)
    assert_both_measure_and_report
    assert_exec_measures_a_bundle_without_them
  end

  thorough def test_a_precompiled_agent_compiles_nothing_measures_and_reports
    self.class.run_command("rake", "native", "gem", env: {}, chdir: ROOT)
    built = Dir["#{ROOT}/pkg/holdup-agent-*-#{Gem::Platform.local}*.gem"].max_by { |path| File.mtime(path) }
    assert_empty Gem::Package.new(built).spec.extensions
    self.class.install(built, @home)
    assert_empty Dir["#{@home}/extensions/**/holdup-*"]
    assert_both_measure_and_report
  end

  private

  def assert_both_measure_and_report
    bring("puma", *others)
    self.class.install(self.class.build("holdup"), @home)
    report = [RbConfig.ruby, File.join(@home, "bin/holdup")]
    answer = first_answer(puma, report:, app: "plain", path: "/orders/1", env: installed) do |app|
      assert_match(/holdup: measuring puma/, app.log)
    end
    assert_equal [["GET /orders", FirstAnswer::REQUESTS]],
      answer["series"].map { |series| series.values_at("name", "count") }
    add_a_later_version
    assert_loaded_from_the_installed_gems
  end

  def assert_exec_measures_a_bundle_without_them
    holdup = [RbConfig.ruby, File.join(@home, "bin/holdup"), "_#{Holdup::VERSION}_"]
    exec = [*holdup, "exec", "--no-collector", "--"]
    serve_in_a_bundle("puma", before: exec, settings: {"WITHOUT_HOLDUP" => "1"}) do |app|
      assert_empty app.get("/loaded").body.lines(chomp: true).grep(/\Aholdup/)
      app.stop
      assert_equal({"GET /loaded" => 1}, app.counts)
    end
  end

  # Of `holdup` alone, which can't be loaded beside this agent.
  def add_a_later_version
    spec = Gem::Specification.new("holdup", "99.0") { |gem| gem.add_dependency("holdup-agent", "= 99.0") }
    loader = File.join(@home, "gems/holdup-99.0/lib/holdup/loader.rb")
    FileUtils.mkdir_p(File.dirname(loader))
    File.write(loader, "raise LoadError")
    File.write(File.join(@home, "specifications/holdup-99.0.gemspec"), spec.to_ruby)
  end

  def assert_loaded_from_the_installed_gems
    script = "require 'holdup'; Holdup::Web; puts $LOADED_FEATURES.grep(%r{/lib/holdup})"
    files = self.class.run_command("-e", script, env: installed).lines(chomp: true)
    assert_equal %w[holdup holdup-agent],
      files.filter_map { |file| file[%r{\A#{File.realpath(@home)}/gems/(holdup(?:-agent)?)-\d}, 1] }.uniq.sort
    assert_empty files.reject { |file| file.start_with?(File.realpath(@home)) }
  end

  # @return [String] message of the error where an application mounts the dashboard, outside of a bundle
  def refused_dashboard
    script = <<~RUBY
      require "holdup"
      begin
        Holdup::Web
      rescue Holdup::Error => error
        puts error.message
      end
    RUBY
    self.class.run_command("-e", script, env: installed)
  end

  # @param gems [Array<String>] what the Gemfile names
  # @param before [Array<String>] what runs the server
  # @param settings [Hash{String => String}] of the environment
  # @yieldparam app [ServedApp] while it serves
  def serve_in_a_bundle(*gems, before: [], settings: {}, &)
    gemfile = File.join(@root, "Gemfile")
    File.write(gemfile, ["source \"https://rubygems.org\"", *gems.map { |gem| "gem \"#{gem}\"" }].join("\n"))
    own = {"BUNDLE_GEMFILE" => gemfile, "HOLDUP_COLLECTOR" => nil, "HOLDUP_IGNORE_PATHS" => "/up"}
    env = {**installed, **own, **settings}
    command = [*before, RbConfig.ruby, "-rbundler/setup", *puma.drop(1)]
    ServedApp.serve(*command, app: "plain", env:, &)
  end

  def puma
    [RbConfig.ruby, Dir["#{@home}/gems/puma-*/bin/puma"].fetch(0), "-C", "puma.rb"]
  end

  def installed = self.class.environment(@home)

  # @return [Array<String>] names of the gems that `holdup` needs beside its agent
  def others
    Gem.loaded_specs.fetch("holdup").runtime_dependencies.map(&:name) - %w[holdup-agent]
  end

  def bring(*names) = LinkedGems.link(@home, names)
end
