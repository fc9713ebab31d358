# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::MissingLibraryTest < Minitest::Test
  include CommandLine

  ERROR = LoadError.new("cannot load such file -- sequel")

  def sentence(**facts)
    Holdup::MissingLibrary.sentence(ERROR, **facts)
  end

  def test_without_a_bundle_the_gem_is_to_be_installed
    said = sentence(dir: "/dev/shm/x", env: {})
    assert_includes said, "cannot load such file -- sequel"
    assert_includes said, "run `gem install holdup` with this Ruby"
    assert_includes said, "`holdup collect --dir /dev/shm/x`"
  end

  def test_in_a_bundle_its_gemfile_has_to_name_it
    said = sentence(dir: nil, env: {"BUNDLE_GEMFILE" => "/app/Gemfile"})
    assert_includes said, "with /app/Gemfile"
    assert_includes said, "name holdup in that Gemfile"
    assert_includes said, "the segments stay in their folder"
  end

  def test_the_command_names_a_missing_loader
    bare = {"RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLE_GEMFILE" => nil}
    command = [RbConfig.ruby, "--disable=gems", CommandLine::EXE, "collect", "--dir", "/dev/shm/x"]
    said, status = Open3.capture2e(bare, *command)
    assert_equal Holdup::Runtime::CollectorSupervisor::CANNOT_LOAD, status.exitstatus, said
    assert_match(/\Aholdup: the collector can't run in .*zeitwerk.*gem install holdup/, said)
    again, = Open3.capture2e(bare, *command, Holdup::Runtime::CollectorSupervisor::AGAIN)
    assert_empty again
  end
end
