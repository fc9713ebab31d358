# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::ServerUnderTestTest < Minitest::Test
  include TemporaryFolder

  ROUTE = Holdup::Lab::Route.new(label: "/", path: "/")

  def served(*command, arm: Holdup::Lab::Arm.new, **options)
    @served = Holdup::Lab::ServerUnderTest.new(command, arm:, env: {"HOLDUP_ENABLED" => "false"}, folder:,
      segments: folder, **options)
  end

  def teardown
    @served&.stop
    super
  end

  def test_a_command_that_ends_says_why
    error = assert_raises(Holdup::Error) {
      served("sh", "-c", "echo $WEB_CONCURRENCY {threads}; exit 3",
        arm: Holdup::Lab::Arm.new(processes: 2, threads: 5)).boot(ROUTE)
    }
    assert_match(/the server has ended; it said: 2 5/, error.message)
  end

  def test_a_command_that_does_not_listen_is_not_waited_for_without_end
    error = assert_raises(Holdup::Error) {
      served(
        "sh",
        "-c",
        "echo not ${HOLDUP_ENABLED:-set}; sleep 600"
      ).boot(ROUTE, patience_s: 6)
    }
    assert_match(/did not answer on port \d+ within 6 s; does it listen on \$PORT.*it said: not set/,
      error.message)
  end

  SERVER = "require 'socket'; s = TCPServer.new('127.0.0.1', {port}); loop { c = s.accept; " \
    "c.gets(\"\\r\\n\\r\\n\"); c.write(\"HTTP/1.1 404 No\\r\\nContent-Length: 0\\r\\n\\r\\n\"); c.close }"

  # Of Holdup, a server has one small file, which needs none of our gems.
  def test_another_ruby_need_not_have_our_gems
    elsewhere = %w[GEM_HOME GEM_PATH BUNDLE_PATH].to_h { |name| [name, folder] }
    bundler = %w[RUBYOPT RUBYLIB BUNDLE_GEMFILE BUNDLER_SETUP].to_h { |name| [name, nil] }
    said = "warn $LOADED_FEATURES.grep(/exec_boot/).size; exit 3"
    arm = Holdup::Lab::Arm.new(label: "other", extra: {**elsewhere, **bundler})
    served(RbConfig.ruby, "-e", SERVER, arm:).boot(ROUTE)
    error = assert_raises(Holdup::Error) { served(RbConfig.ruby, "-e", said, arm:).boot(ROUTE) }
    assert_match(/the server has ended; it said: 1\z/, error.message)
  end

  def test_a_command_that_can_not_be_run
    error = assert_raises(Holdup::Error) { served("/nonexistent/command").boot(ROUTE) }
    assert_match(/\Acan't run \/nonexistent\/command: .*; check the command after --\z/, error.message)
  end

  def test_boots_when_it_answers_and_tells_its_cpu_time
    served(RbConfig.ruby, "-e", SERVER).boot(ROUTE)
    assert_nil @served.check
    assert_operator @served.cpu_seconds, :>, 0
    @served.stop
    assert_raises(Holdup::Error) { @served.check }
  end
end
