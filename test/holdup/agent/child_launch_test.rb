# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "tmpdir"
require "holdup/agent/child_launch"

# Releases as Capistrano lays them out: releases/1, releases/2 and the link `current`.
class Holdup::ChildLaunchTest < Minitest::Test
  def setup
    @root = File.realpath(Dir.mktmpdir("holdup-releases"))
    @first = release("1")
    FileUtils.mkdir_p("#{@root}/gems/exe")
    File.write(executable, "")
  end

  def teardown = FileUtils.rm_rf(@root)

  def release(name)
    folder = "#{@root}/releases/#{name}"
    FileUtils.mkdir_p(folder)
    File.write("#{folder}/Gemfile", "")
    folder
  end

  def executable = "#{@root}/gems/exe/holdup"

  def current(folder)
    File.symlink(folder, "#{@root}/current")
  end

  def deploy(name)
    release(name).tap { FileUtils.rm_rf(@first) }
  end

  def launch(command: [RbConfig.ruby, executable, "collect"], **more)
    bundle = {"BUNDLE_GEMFILE" => "#{@first}/Gemfile", "RUBYOPT" => "-W0 -rbundler/setup"}
    Holdup::ChildLaunch.new(command, env: bundle.merge(more.transform_keys(&:to_s)), folder: @first,
      gem_path: ["#{@root}/gems"], environment: {"OURS" => "1"})
  end

  def test_while_all_is_there_it_is_started_as_it_was
    found = launch(RUBY_ZJIT_ENABLE: "1").call("--again")
    assert_equal [RbConfig.ruby, executable, "collect", "--again"], found.command
    assert_equal({"RUBY_ZJIT_ENABLE" => nil, "OURS" => "1"}, found.environment)
    assert_empty found.options
  end

  def test_a_deleted_release_is_replaced_by_the_current_one
    one = launch(BUNDLE_LOCKFILE: "#{@first}/Gemfile.lock")
    release("3")
    current(deploy("2"))
    found = one.call
    assert_equal({chdir: "#{@root}/current"}, found.options)
    assert_equal ["#{@root}/current/Gemfile", nil, "-W0", "1"],
      found.environment.values_at("BUNDLE_GEMFILE", "BUNDLE_LOCKFILE", "RUBYOPT", "OURS")
    assert_equal [executable, "collect"], found.command.last(2)
  end

  def test_without_a_link_the_newest_release_counts
    one = launch
    older = release("2")
    File.utime(0, 0, older)
    newest = deploy("3")
    assert_equal({chdir: newest}, one.call.options)
  end

  def test_a_gemfile_below_the_release_is_found_there_again
    FileUtils.mkdir_p("#{@first}/gemfiles")
    File.write("#{@first}/gemfiles/next.gemfile", "")
    one = launch(BUNDLE_GEMFILE: "#{@first}/gemfiles/next.gemfile")
    second = deploy("2")
    FileUtils.mkdir_p("#{second}/gemfiles")
    File.write("#{second}/gemfiles/next.gemfile", "")
    assert_equal "#{second}/gemfiles/next.gemfile", one.call.environment["BUNDLE_GEMFILE"]
  end

  def test_the_folder_that_the_shell_names_counts_first
    current(release("2"))
    other = release("3")
    one = launch(PWD: other)
    FileUtils.rm_rf(@first)
    assert_equal({chdir: other}, one.call.options)
  end

  # Everybody could place a Gemfile there, and it would run as the server's user.
  def test_a_folder_in_which_everybody_may_write_is_not_searched
    one = launch
    current(deploy("2"))
    [@root, "#{@root}/releases"].each { |folder| File.chmod(0o777, folder) }
    refute_includes one.call.environment["BUNDLE_GEMFILE"].to_s, @root
  end

  def test_without_any_release_the_gems_of_this_process_are_used_without_a_bundle
    one = launch
    FileUtils.rm_rf("#{@root}/releases")
    found = one.call
    assert_equal [RbConfig.ruby, executable, "collect"], found.command
    assert_equal [nil, "-W0", "#{@root}/gems"],
      found.environment.values_at("BUNDLE_GEMFILE", "RUBYOPT", "GEM_PATH")
    assert_equal({chdir: "/"}, found.options)
  end

  def test_the_ways_alternate_while_they_fail
    one = launch
    current(deploy("2"))
    folders = Array.new(3) { one.call.options[:chdir].tap { one.failed } }
    assert_equal ["#{@root}/current", "/", "#{@root}/current"], folders
  end

  # Its gems are not installed yet, say. Bundler would write a backtrace each time.
  def test_a_bundle_that_failed_is_loaded_by_us_and_then_left_out
    one = launch
    assert_equal executable, one.call.command[1]
    one.failed
    assert_equal ["-e", "#{@first}/Gemfile"], [one.call.command[1], one.call.environment["BUNDLE_GEMFILE"]]
    one.failed
    assert_nil one.call.environment.fetch("BUNDLE_GEMFILE")
    refute one.failed
    assert_equal "-e", one.call.command[1]
    assert_empty one.call.options
  end

  def test_a_bundle_that_has_changed_is_loaded_by_us
    one = launch
    File.write("#{@first}/Gemfile.lock", "")
    assert_equal "-e", one.call.command[1]
  end

  def test_without_a_bundle_there_is_one_way
    one = launch(RUBYOPT: "-W0")
    2.times do
      assert_equal executable, one.call.command[1]
      refute one.failed
    end
  end

  def test_without_a_release_and_a_program_it_says_what_to_do
    one = launch
    FileUtils.rm_rf(["#{@root}/releases", "#{@root}/gems"])
    error = assert_raises(Holdup::ChildLaunch::Gone) { one.call }
    assert_match(/#{executable} and #{@first}.*are gone.*restart the server/, error.message)
    assert_equal 1, error.message.lines.size
  end

  def test_a_ruby_that_is_gone_is_said
    File.write("#{@root}/ruby", "")
    one = launch(command: ["#{@root}/ruby", executable])
    File.delete("#{@root}/ruby")
    assert_match(%r{#{@root}/ruby is gone}, assert_raises(Holdup::ChildLaunch::Gone) { one.call }.message)
  end

  # Only the current folder is gone: the bundle stays, and the child needs some folder that exists.
  def test_a_deleted_folder_is_left
    one = launch(BUNDLE_GEMFILE: "#{@root}/gems/Gemfile")
    File.write("#{@root}/gems/Gemfile", "")
    FileUtils.rm_rf(@first)
    found = one.call
    assert_equal({chdir: "/"}, found.options)
    refute_includes found.environment, "BUNDLE_GEMFILE"
  end

  def test_a_folder_that_was_deleted_and_made_again_is_entered_again
    script = <<~RUBY
      require "holdup/agent/child_launch"
      require "fileutils"
      folder = ARGV.first
      Dir.chdir(folder)
      one = Holdup::ChildLaunch.new([RbConfig.ruby, "-e", "puts Dir.pwd"], env: {})
      FileUtils.rm_rf(folder)
      FileUtils.mkdir_p(folder)
      found = one.call
      Process.wait(Process.spawn(found.environment, *found.command, **found.options))
    RUBY
    lib = File.expand_path("../../../lib", __dir__)
    command = [RbConfig.ruby, "--disable=gems", "-I#{lib}", "-e", script, @first]
    said, = Open3.capture2e({"RUBYOPT" => nil}, *command)
    assert_equal @first, said.chomp
  end

  def test_a_bundle_that_can_not_be_loaded_is_one_line
    File.write("#{@root}/Gemfile", "gem 'nowhere-to-be-found-gem'\n")
    env = Holdup::ChildEnvironment.new(ENV).other_bundle("#{@root}/Gemfile").with("RUBYOPT" => nil).to_h
    said, status = Open3.capture2e(env, RbConfig.ruby, "-e", Holdup::ChildLaunch::BOOT, "--", executable)
    assert_equal 3, status.exitstatus, said
    assert_equal 1, said.lines.size, said
    assert_match(/\Aholdup: can't start with the bundle of #{@root}.Gemfile \(.*\).*restart the server/, said)
  end
end
