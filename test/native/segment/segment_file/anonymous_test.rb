# frozen_string_literal: true

require "native/native_helper"
require "holdup/loader"
require "open3"

# Where no tmpfs is writable: memory without a name, and a link to it in the folder.
class AnonymousSegmentTest < Minitest::Test
  SCRIPT = <<~RUBY
    require "holdup"
    Holdup::Probe.open_anonymous_segment(ARGV[0], 20, 64, nil, 0)
    Holdup::Probe.enable
    $stdout.sync = true
    Holdup.recorder.measure("first") { }
    puts "ready"
    while (line = $stdin.gets)
      line.to_i.times { Holdup.recorder.measure("later") { } }
      Holdup::Probe.close_segment if line == "close\n"
      puts "done"
    end
  RUBY

  def setup
    @dir = Dir.mktmpdir
    @log = CollectedLog.new
    @store = Holdup::Store.open("memory:")
    @collector = Holdup::Collector.new(store: @store, directory: @dir, log: @log)
  end

  def teardown = FileUtils.remove_entry(@dir)

  def process
    start = "\#{File.read(\"/proc/self/stat\").rpartition(\")\").last.split[19]}"
    script = SCRIPT.gsub("ARGV[0]", "\"#{@dir}/\#{Process.pid}-#{start}.segment\"")
    lib = File.expand_path("../../../../lib", __dir__)
    Open3.popen2(RbConfig.ruby, "-W0", "-I#{lib}", "-e", script) do |input, output, thread|
      assert_equal "ready\n", output.gets
      yield thread, ->(line) { input.puts(line) || output.gets }
    end
  end

  def tick = @collector.send(:attempt)

  def counts
    @store.windows(0, Time.now.to_i + 120, kinds: [:job]).each_with_object(Hash.new(0)) { |window, sums|
      sums[window.series.name] += window.count
    }
  end

  def kill(thread)
    Process.kill(:KILL, thread.pid)
    thread.value
  end

  linux def test_the_collector_keeps_what_it_read_when_the_process_is_killed
    process do |thread, send_line|
      tick
      assert_equal({"first" => 1}, counts)
      assert_match %r{\A/proc/#{thread.pid}/fd/\d+\z}, File.readlink(Dir["#{@dir}/*.segment"].first)
      send_line.call("500")
      kill(thread)
    end
    tick
    assert_equal({"first" => 1, "later" => 500}, counts)
    assert_empty Dir["#{@dir}/*.segment"]
    assert_empty @log.lines
  end

  linux def test_a_clean_end
    process do |_thread, send_line|
      tick
      send_line.call("7")
      send_line.call("close")
    end
    tick
    assert_equal({"first" => 1, "later" => 7}, counts)
    assert_empty Dir["#{@dir}/*.segment"]
  end

  linux def test_events_that_were_not_read_are_lost_and_logged_once
    process { |thread, _| kill(thread) }
    2.times { tick }
    assert_empty counts
    assert_equal 1, @log.lines.size, @log.lines.join("\n")
    assert_match(/ended before the collector saw it, its units are lost; give Holdup a tmpfs/,
      @log.lines.first)
    assert_empty Dir["#{@dir}/*.segment"]
  end

  def test_a_link_to_something_else_is_none
    File.write("#{@dir}/secret", "x" * 9000)
    File.symlink("#{@dir}/secret", "#{@dir}/#{Process.pid}-1.segment")
    assert(Holdup::Segment::Directory.new(@dir).entries.all?(&:lost?))
  end
end
