# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "pty"
require "sequel"

class Holdup::Exec::CommandTest < Minitest::Test
  include CommandLine

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def exec(*command, **options)
    holdup_process("exec", "--no-collector", "--dir", @dir, "--", *command, **options)
  end

  def test_gives_the_exit_status_back
    assert_equal 0, exec("true").status
    assert_equal 7, exec("sh", "-c", "exit 7").status
    assert_equal 128 + 9, exec("sh", "-c", "kill -9 $$").status
  end

  def test_passes_arguments_and_streams_through
    said = exec("cat", "-", stdin_data: "in\n")
    assert_equal "in\n", said.out
    assert_equal "a b|$HOME|*\n", exec("sh", "-c", 'printf "%s|%s|%s\n" "$@"', "sh", "a b", "$HOME", "*").out
  end

  def test_every_ruby_in_it_loads_the_boot_file
    script = "puts ENV.fetch('HOLDUP_DIR'), $LOADED_FEATURES.grep(/exec_boot/).size, ENV.fetch('RUBYOPT')"
    said = exec(RbConfig.ruby, "-e", script, env: {"RUBYOPT" => "-W0"})
    dir, loaded, options = said.out.lines(chomp: true)
    assert_equal [@dir, "1"], [dir, loaded]
    assert options.end_with?("-W0 -r#{Holdup::Exec::BootOptions::FILE}"), options
    assert_equal "", said.err
  end

  def test_a_command_that_can_not_run
    said = exec("/nonexistent/command")
    assert_equal 127, said.status
    assert_match(/\Aholdup: can't run \/nonexistent\/command.*after --\n\z/, said.err)
    assert_equal 126, exec(@dir).status
  end

  def test_no_command
    said = holdup("exec", "--no-collector")
    assert_equal [2, "holdup: exec needs a command; for instance `holdup exec -- bin/rails server`\n"],
      [said.status, said.err]
  end

  def test_forwards_signals_and_waits
    script = "%w[TERM INT USR1 TSTP URG].each { |name| trap(name) { $stdout.puts name; $stdout.flush; " \
      "exit 3 if name == 'TERM' } }; puts 'ready'; $stdout.flush; loop { sleep 1 }"
    IO.popen([RbConfig.ruby, CommandLine::EXE, "exec", "--no-collector", "--dir", @dir, "--", RbConfig.ruby,
      "-e", script]) do |output|
      assert_equal "ready\n", output.gets
      %w[USR1 TSTP URG INT TERM].each do |name|
        Process.kill(name, output.pid)
        assert_equal "#{name}\n", output.gets
      end
    end
    assert_equal 3, $?.exitstatus
  end

  def test_what_a_short_command_measures_is_in_the_store_afterwards
    store = File.join(@dir, "store.sqlite3")
    lib = File.expand_path("../../../../lib", __dir__)
    script = 'require "holdup"; Holdup.start; 9.times { Holdup.measure("short", kind: :job) { } }'
    said = holdup_process("exec", "--dir", @dir, "--store", store, "--", RbConfig.ruby, "-I#{lib}", "-e",
      script)
    assert_equal 0, said.status
    assert_empty said.err.lines.grep_v(/\Aholdup: measuring /)
    report = holdup("report", "--store", store, "--format", "json", now_s: Time.now.to_i + 60)
    assert_equal [["short", 9]],
      JSON.parse(report.out)["series"].map { |series| series.values_at("name", "count") }
  end

  # Without Bundler and without a folder of gems, this Ruby has no Sequel.
  BARE = {**OtherBundle::NONE, "BUNDLE_PATH" => nil, "GEM_HOME" => "/nonexistent",
          "GEM_PATH" => "/nonexistent"}.freeze
  MEASURED = 'require "holdup"; Holdup.start; Holdup.measure("kept") { }; '

  def without_gems(script)
    lib = File.expand_path("../../../../lib", __dir__)
    # The command has its libraries, what it runs has none.
    env = {**BARE, "HOME" => @dir,
                   "RUBYLIB" => Gem.loaded_specs.fetch("zeitwerk").full_require_paths.join(":")}
    application = ["env", "-u", "RUBYLIB", RbConfig.ruby, "-I#{lib}", "-e", MEASURED + script]
    holdup_process("exec", "--dir", File.join(@dir, "segments"), "--store", store, "--", *application, env:)
  end

  def store = File.join(@dir, "store.sqlite3")

  def test_says_once_what_the_collector_lacks_and_what_to_do
    said = without_gems("sleep 3; exit 7")
    assert_equal 7, said.status, said.err
    lines = said.err.lines.grep_v(/\Aholdup: measuring /)
    assert_equal 1, lines.size, said.err
    refusal = %r{\Aholdup: the collector can't run in \S*ruby \(.*(?:zeitwerk|sequel/core)\)}
    assert_match(/#{refusal}: run `gem install holdup -v \S+` with this Ruby\. Nothing is lost:/, lines.first)
    assert_includes lines.first, "`holdup collect --dir #{@dir}/segments` from any Ruby that has the gem"
  end

  def test_a_command_that_ends_before_the_collector_was_up_keeps_its_status_and_its_segments
    said = without_gems("exit 7")
    assert_equal 7, said.status, said.err
    assert_match(/Nothing is lost/, said.err)
    assert_equal 0,
      holdup("collect", "--once", "--dir", "#{@dir}/segments", "--store", store, now_s: Time.now.to_i).status
    report = holdup("report", "--store", store, "--format", "json", now_s: Time.now.to_i + 60)
    assert_equal [["kept", 1]],
      JSON.parse(report.out)["series"].map { |series| series.values_at("name", "count") }
  end

  # The terminal sends Ctrl-C to everybody in the foreground; a server takes a second one as "at once".
  def test_ctrl_c_arrives_once
    script = "n = 0; trap('INT') { n += 1 }; puts 'ready'; $stdout.flush; sleep 0.05 until n > 0; t = " \
      "Time.now + 0.5; sleep 0.05 while Time.now < t; puts \"n=\#{n}\""
    PTY.spawn(RbConfig.ruby, CommandLine::EXE, "exec", "--no-collector", "--dir", @dir, "--", RbConfig.ruby,
      "-e", script) do |output, input, pid|
      output.gets
      input.write("\x03")
      assert_match(/n=1\b/, output.gets)
      Process.wait(pid)
    end
  end

  def test_the_environment_it_gives
    console = Holdup::CLI::Console.new(out: nil, err: nil, env: {"HOME" => "/h"}, clock: nil)
    given = Holdup::Exec::Command.new(console:, command: ["x"], store: "/s.sqlite3", dir: "/d").environment
    assert_equal(
      {"RUBYOPT" => "-r#{Holdup::Exec::BootOptions::FILE}", "HOLDUP_DIR" => "/d",
       "HOLDUP_STORE" => "/s.sqlite3", "HOLDUP_SUPERVISED" => "1"}, given
    )
  end
end
