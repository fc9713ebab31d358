# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "holdup/loader"

class Holdup::MainGemTest < Minitest::Test
  include CommandLine

  MainGem = Holdup::MainGem
  REASON = LoadError.new("cannot load such file -- sequel")
  BUNDLED = {"BUNDLE_GEMFILE" => "/app/Gemfile"}.freeze
  ADVICE = "run `gem install holdup -v #{Holdup::VERSION}` with this Ruby"

  def test_in_a_checkout_the_command_line_is_beside_the_agent
    assert_equal File.realpath(CommandLine::EXE), File.realpath(MainGem.executable)
  end

  # As installed: the agent in one folder, the other gem in another, in the load path.
  def test_of_a_bundle_that_has_it_the_command_line_is_in_its_folder
    Dir.mktmpdir do |root|
      FileUtils.mkdir_p(["#{root}/holdup/lib/holdup", "#{root}/agent/lib/holdup/agent"])
      FileUtils.touch("#{root}/holdup/lib/holdup/loader.rb")
      lib = File.expand_path("../../../lib/holdup", __dir__)
      FileUtils.cp("#{lib}/version.rb", "#{root}/agent/lib/holdup")
      FileUtils.cp("#{lib}/agent/main_gem.rb", "#{root}/agent/lib/holdup/agent")
      script = "require '#{root}/agent/lib/holdup/agent/main_gem'; p Holdup::MainGem.executable"
      found = fresh_ruby(script, options: ["-I#{root}/holdup/lib"], prelude: "")
      assert_equal "#{File.realpath(root)}/holdup/exe/holdup".dump, found.chomp
      assert_equal "nil\n", fresh_ruby(script, prelude: "")
    end
  end

  def test_without_a_collector_it_says_what_to_do
    assert_equal "nothing carries the figures in /dev/shm/x to a store, because the collector is in the " \
      "gem holdup: add `gem \"holdup\"` to /app/Gemfile, or run `holdup collect` elsewhere and set " \
      "HOLDUP_COLLECTOR=off here", MainGem.no_collector(dir: "/dev/shm/x", env: BUNDLED)
    assert_includes MainGem.no_collector(dir: "/dev/shm/x", env: {}), ADVICE
  end

  def test_a_collector_is_not_started_without_the_gem
    log = CollectedLog.new
    %i[process thread].each do |kind|
      configuration = Holdup::Configuration.build { |draft| draft.collector = kind }
      collector = Holdup::Runtime::Collectors.build(configuration, env: BUNDLED, log:)
      MainGem.stub(:require_loader, -> { raise LoadError }) do
        MainGem.stub(:executable, nil) { collector.start }
      end
      %i[before_fork let_go stop finish].each { |name| collector.public_send(name) }
    end
    assert_equal 2, log.lines.grep(/nothing carries the figures/).size, log.lines
  end

  def test_the_dashboard_names_its_gem
    error = MainGem.error("Holdup::Web", REASON, env: BUNDLED)
    assert_equal "Holdup::Web is in the gem holdup, which can't be loaded (#{REASON.message}); " \
      "add `gem \"holdup\"` to /app/Gemfile", error.message
  end

  def test_a_collector_that_lacks_a_library_names_it_and_what_to_do
    said = MainGem.missing_library(REASON, dir: "/dev/shm/x", env: {})
    assert_includes said, REASON.message
    assert_includes said, ADVICE
    assert_includes said, "`holdup collect --dir /dev/shm/x`"
  end

  def test_in_a_bundle_its_gemfile_has_to_name_it
    said = MainGem.missing_library(REASON, dir: nil, env: BUNDLED)
    assert_includes said, "add `gem \"holdup\"` to /app/Gemfile"
    assert_includes said, "the segments stay in their folder"
  end

  def test_where_its_release_is_gone_no_gem_helps
    Dir.mktmpdir do |root|
      FileUtils.mkdir_p("#{root}/lib/holdup/agent")
      lib = File.expand_path("../../../lib/holdup", __dir__)
      FileUtils.cp("#{lib}/version.rb", "#{root}/lib/holdup")
      FileUtils.cp("#{lib}/agent/main_gem.rb", "#{root}/lib/holdup/agent")
      script = "require '#{root}/lib/holdup/agent/main_gem'; require 'fileutils'; " \
        "FileUtils.rm_rf('#{root}/lib'); " \
        "puts Holdup::MainGem.missing_library(LoadError.new('x'), dir: nil, env: {})"
      said = fresh_ruby(script, prelude: "")
      assert_includes said, "(x): its release was deleted, so restart the application in the new one. Nothing"
      refute_includes said, "gem install"
    end
  end

  def test_the_command_names_a_missing_loader
    bare = OtherBundle::NONE
    command = [RbConfig.ruby, "--disable=gems", CommandLine::EXE, "collect", "--dir", "/dev/shm/x"]
    said, status = Open3.capture2e(bare, *command)
    assert_equal Holdup::Runtime::CollectorSupervisor::CANNOT_LOAD, status.exitstatus, said
    assert_match(/\Aholdup: the collector can't run in .*zeitwerk.*gem install holdup/, said)
    again, = Open3.capture2e(bare, *command, Holdup::Runtime::CollectorSupervisor::AGAIN)
    assert_empty again
  end
end
