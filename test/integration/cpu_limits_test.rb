# frozen_string_literal: true

require "test_helper"
require "etc"
require "holdup/loader"
require "tmpdir"

# An operator gives a living process fewer CPUs: the setting says so from the next tick on, and figures before
# and after are in windows of two settings.
class CpuLimitsTest < Minitest::Test
  SCRIPT = <<~RUBY
    $LOAD_PATH.unshift(#{File.expand_path("../../lib", __dir__).dump})
    require "holdup"
    Holdup.start
    $stdout.sync = true
    puts "ready"
    while (name = gets)
      Holdup.measure(name.chomp) { nil }
      puts "measured"
    end
  RUBY

  def setup
    skip "one CPU can't become fewer" if Etc.nprocessors < 2
    skip "taskset is not installed" unless system("taskset", "-V", out: File::NULL, err: File::NULL)
    @dir = Dir.mktmpdir("holdup", "/dev/shm")
  end

  def teardown
    @process&.close
    FileUtils.rm_rf(@dir) if @dir
  end

  def test_a_process_that_gets_fewer_cpus_has_another_setting_from_the_next_tick_on
    start
    measure("before")
    wait_until { cpus == Etc.nprocessors }
    known = carry(nil)
    assert system("taskset", "-a", "-p", "-c", "0", @process.pid.to_s, out: File::NULL)
    wait_until { cpus == 1 }
    measure("after")
    carry(known)
    settings = @builder.windows("h").to_h { |window| [window.series.name, window.setting["vcpus"]] }
    assert_operator settings.fetch("before"), :>, 1
    assert_equal 1, settings.fetch("after")
  end

  private

  def start
    env = {"HOLDUP_DIR" => @dir, "HOLDUP_STORE" => "#{@dir}/store.sqlite3", "HOLDUP_COLLECTOR" => "off",
           "HOLDUP_LOG" => "off", "HOLDUP_TICK_SECONDS" => "0.1"}
    @process = IO.popen(env, [RbConfig.ruby, "-e", SCRIPT], "r+")
    assert_equal "ready", @process.gets.chomp
  end

  def measure(name)
    @process.puts(name)
    assert_equal "measured", @process.gets.chomp
  end

  def entry = Holdup::Segment::Directory.new(@dir).entries.first

  def cpus = entry&.read { |reader| reader.setting&.attributes&.fetch("cpus", nil) }

  # Takes what was added since, as the collector does.
  def carry(known)
    @builder ||= Holdup::Collector::SegmentDelta::WindowBuilder.new
    unit_sampler = Class.new { def add(*) = nil }.new
    log = CollectedLog.new
    warnings = Holdup::Collector::RateLimitedLog.new(log:, clock: HandClock.new)
    skipped = Holdup::Collector::SkippedRows.new(host: "h", warnings:)
    now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
    skipped.start(now_ns)
    Holdup::Collector::SegmentDelta
      .new(builder: @builder, now_ns:, settings: @settings ||= {}, unit_sampler:, skipped:)
      .call(entry, known) { nil }
  end
end
