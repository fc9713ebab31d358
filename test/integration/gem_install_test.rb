# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"

# The gem on a machine that has never seen this folder: built, installed into an empty GEM_HOME from the files
# of the bundle's gems, without a registry, and started under Puma: once compiled while it is installed, and
# once precompiled.
class GemInstallTest < Minitest::Test
  include FirstAnswer

  ROOT = ServedApp::ROOT
  # What an application has: Holdup and a server.
  WANTED = %w[puma].freeze
  PLAIN = {**FirstAnswer::WITHOUT_BUNDLER, "BUNDLE_GEMFILE" => nil, "BUNDLE_PATH" => nil,
           "MAKEFLAGS" => "-j2"}.freeze

  def setup
    @root = Dir.mktmpdir
    @home = File.join(@root, "home")
  end

  def teardown = FileUtils.remove_entry(@root)

  thorough def test_compiles_measures_and_reports
    run_command("gem", "build", "holdup.gemspec", "--output", gem_file, chdir: ROOT)
    install
    assert_measures
  end

  thorough def test_a_precompiled_gem_compiles_nothing_measures_and_reports
    run_command("rake", "native", "gem", env: {}, chdir: ROOT)
    built = Dir["#{ROOT}/pkg/holdup-*-#{Gem::Platform.local}*.gem"].max_by { |path| File.mtime(path) }
    FileUtils.cp(built, gem_file)
    refute_includes Gem::Package.new(gem_file).spec.extensions, "ext/holdup/extconf.rb"
    install
    assert_empty Dir["#{@home}/extensions/**/holdup-*"]
    assert_measures
  end

  private

  def gem_file = File.join(@root, "holdup.gem")

  def assert_measures
    puma = [RbConfig.ruby, File.join(@home, "bin/puma"), "-C", "puma.rb"]
    report = [RbConfig.ruby, File.join(@home, "bin/holdup")]
    answer = first_answer(puma, report:, app: "plain", path: "/orders/1", env: installed) do |app|
      assert_match(/holdup: measuring puma/, app.log)
    end
    assert_equal [["GET /orders", FirstAnswer::REQUESTS]],
      answer["series"].map { |series| series.values_at("name", "count") }
    assert_loaded_from_the_installed_gem
  end

  def assert_loaded_from_the_installed_gem
    script = "require 'holdup'; puts $LOADED_FEATURES.grep(%r{/lib/holdup})"
    files = run_command("-e", script, env: installed).lines(chomp: true)
    assert_operator files.size, :>, 20
    assert_empty files.reject { |file| file.start_with?(File.realpath(@home)) }
  end

  def installed = PLAIN.merge("GEM_HOME" => @home, "GEM_PATH" => @home)

  # With all gems in one folder, which is where `--local` looks for what they need.
  def install
    FileUtils.ln_s(gem_files, @root)
    run_command("gem", "install", "--local", "--no-document", "--install-dir", @home, *Dir["#{@root}/*.gem"],
      env: installed, chdir: @root)
  end

  # @return [Array<String>] files of the gems that Holdup and WANTED need, but for those of Ruby itself
  def gem_files
    found = {}
    waiting = WANTED + Gem.loaded_specs.fetch("holdup").runtime_dependencies.map(&:name)
    while (name = waiting.shift)
      next if found.key?(name)
      spec = Gem::Specification.find_by_name(name)
      found[name] = spec
      waiting.concat(spec.runtime_dependencies.map(&:name))
    end
    found.values.reject(&:default_gem?).map(&:cache_file)
  end

  # @return [String] what Ruby printed
  def run_command(*arguments, env: PLAIN, **options)
    arguments = ["-S", *arguments] unless arguments.first == "-e"
    printed, status = Open3.capture2e(env, RbConfig.ruby, *arguments, **options)
    assert_predicate status, :success?, printed
    printed
  end
end
