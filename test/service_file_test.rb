# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "open3"
require "shellwords"

# The unit file for systemd: systemd understands each line, and its times fit those of the collector.
class ServiceFileTest < Minitest::Test
  one_ruby

  include CommandLine

  FILE = File.expand_path("../examples/systemd/holdup-collector.service", __dir__)
  SECONDS = {"" => 1, "min" => 60}.freeze

  def test_systemd_understands_it
    skip "no systemd-analyze here (Debian package systemd)" unless analyze?
    said, status = Open3.capture2e("systemd-analyze", "verify", FILE)
    assert_predicate status, :success?, said
    assert_empty said.lines.grep(/holdup-collector/)
  end

  # `verify` exits with 0 and only prints what it ignores.
  def test_systemd_would_find_a_mistyped_line
    skip "no systemd-analyze here (Debian package systemd)" unless analyze?
    Dir.mktmpdir do |dir|
      path = File.join(dir, "holdup-collector.service")
      File.write(path, File.read(FILE).sub("WatchdogSec=", "WatchdogSecs="))
      said, = Open3.capture2e("systemd-analyze", "verify", path)
      assert_match(/holdup-collector\.service:\d+: Unknown key .*WatchdogSecs/, said)
    end
  end

  def test_the_last_round_ends_before_systemd_kills
    assert_operator seconds("TimeoutStopSec"), :>, Holdup::Collector::GRACE_S
  end

  # Half a minute for what is not waiting.
  def test_the_watchdog_waits_longer_than_for_a_silent_database
    assert_operator seconds("WatchdogSec"), :>, Holdup::Store::Sql::DatabaseServer::IDLE_S + 30
  end

  def test_its_command_and_variables_are_there
    environment = values("Environment").to_h { |text| text.split("=", 2) }
    assert_empty Holdup::Configuration::Variables.unknown(environment)
    command = values("ExecStart").first.shellsplit
    assert_equal %w[holdup collect], command.last(2)
    assert_equal 0, holdup(*command.drop(command.index("holdup") + 1), "--help").status
  end

  private

  def analyze?
    ENV["PATH"].split(":").any? { |folder| File.executable?(File.join(folder, "systemd-analyze")) }
  end

  def values(key)
    File.readlines(FILE, chomp: true).filter_map { |line| line[/\A#{key}=(.*)/, 1] }
  end

  def seconds(key)
    number, unit = values(key).first.match(/\A(\d+)(\D*)\z/).captures
    Integer(number) * SECONDS.fetch(unit)
  end
end
