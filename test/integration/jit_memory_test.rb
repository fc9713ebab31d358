# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"
require "json"

# A limit that is reached for real.
class JitMemoryTest < Minitest::Test
  def test_a_memory_that_is_full
    assert_full("--yjit-exec-mem-size", "code")
    assert_full("--yjit-mem-size", "total") if Holdup::RubyVersion.here.limits_total?
  end

  # A title hides the command line, so 48 or 128 MiB are assumed; that it is full shows in what stands still.
  def test_an_unreadable_limit
    total = Holdup::RubyVersion.here.limits_total?
    option = total ? "--yjit-mem-size" : "--yjit-exec-mem-size"
    said = fresh_ruby(<<~RUBY, gems: true, options: ["--yjit-disable", "#{option}=1"], prelude: "")
      $0 = "puma: cluster worker 0: 123 [app]" + " " * 500
      $LOAD_PATH.unshift(#{File.join(ServedApp::ROOT, "lib").dump})
      require "holdup"
      require "holdup/loader"
      require "holdup/agent/jit"
      clock, log = Holdup::Clock.new, Class.new { def warn(text) = puts(text) }.new
      guard = Holdup::Guard.new(log:, clock:)
      manager = Holdup::Jit::Manager.new(wish: -> { :on }, guard:, log:, clock:)
      sample = lambda do |minute|
        300.times do |number|
          body = "[n, n * 2].map { |x| x.to_s + 'a' * 3 }.join.size + \#{number}"
          eval("def m\#{minute}_\#{number}(n) = \#{body}")
        end
        300.times { |number| 60.times { |n| send(:"m\#{minute}_\#{number}", n) } }
        manager.install
        gauges = manager.profile.transform_keys(&:to_sym)
        process = {host: "h", pid: 7, start: 1, name: "worker 0", server: "puma", setting: "s"}
        {at_s: 60 * minute, **process, **manager.gauges.compact, **gauges}
      end
      samples = Array.new(12) { |minute| sample.call(minute) }
      setting = Struct.new(:attributes).new({"ruby" => RUBY_VERSION, **manager.facts})
      jits = Holdup::Analysis::JitReport.new(samples, settings: {"s" => setting})
      situation = Struct.new(:summary, :machine).new(Struct.new(:jits).new(jits))
      advised = Holdup::JitReport::JitMemoryRules::Saturated.call(situation)
      found = [jits.on.first.facts.saturated, advised]
      change = found.last.change.new
      print found.first, " ", found.last.rule, " ", change, " ", manager.profile["jit.limit_from"]
    RUBY
    changes = [2, 3].map { |mib| Regexp.escape(larger(option, mib)) }.join("|")
    assert_match(/\Afalse jit_stuck (#{changes}) assumed default\z/, said)
  end

  # @return [String] how this Ruby gets so much memory for YJIT: while it runs, where `enable` takes a size
  def larger(option, mib)
    settable = RubyVM::YJIT.method(:enable).parameters.include?([:key, :mem_size])
    return "config.jit = {mem_size: #{mib}}" if settable && option == "--yjit-mem-size"
    "RUBYOPT=\"--yjit-disable #{option}=#{mib}\""
  end

  def assert_full(option, of)
    said, advised = fill("#{option}=2")
    assert_equal [true, true, of, "command line", 2 << 20],
      said["processes"].first["jit"].values_at("on", "saturated", "limit_of", "limit_from", "limit_bytes")
    full = said["findings"].find { |finding| finding["key"] == "jit_saturated" }
    assert_includes full["fix"], "#{option}=3"
    saturated = advised["findings"].find { |finding| finding["rule"] == "jit_saturated" }
    assert_includes saturated.to_s.delete("\\"), larger(option, 3)
  end

  # Thousands of methods, each called often enough to be compiled, until there is no room.
  # @return [Array<Hash>] what the doctor says in that same process, and the advice once it is in a store
  def fill(option)
    environment = {env: {"HOLDUP_LOG" => "off"}, options: ["--yjit-disable", option]}
    output = fresh_ruby(<<~RUBY, gems: true, **environment, prelude: "")
      $LOAD_PATH.unshift(#{File.join(ServedApp::ROOT, "lib").dump})
      require "holdup"
      require "holdup/loader"
      require "holdup/segment/directory"
      require "tmpdir"
      dir = Dir.mktmpdir
      at_exit { FileUtils.remove_entry(dir) }
      Holdup.configure do |config|
        config.dir, config.collector, config.jit, config.tick_seconds = dir, :off, :on, 0.05
      end
      Holdup.start
      methods = Array.new(3000) do |number|
        body = "[n, n * 2].map { |x| x.to_s + 'a' * \#{number % 7} }.join.size + n / 3 - \#{number}"
        eval("def m\#{number}(n) = \#{body}")
      end
      methods.each { |name| 40.times { |n| send(name, n) } }
      read = -> { Holdup::Segment::Directory.new(dir).entries.first.read(&:header).gauges[:jit_saturated] }
      IO.select(nil, nil, nil, 0.05) until read.call == 1
      Holdup.measure("fill") { methods.each { |name| send(name, 1) } }
      store = "sqlite://\#{dir}/store.sqlite3"
      holdup = Holdup::CLI.new(console: Holdup::CLI::Console.system)
      holdup.run(["doctor", "--json", "--dir", dir, "--store", "memory:"])
      print ","
      holdup.run(["collect", "--once", "--dir", dir, "--store", store])
      later = Class.new(Holdup::Clock) { def realtime_s = super + 5 } # what is of this very second counts
      holdup = Holdup::CLI.new(console: Holdup::CLI::Console.system.with(clock: later.new))
      holdup.run(["advise", "--kind", "job", "--json", "--store", store, "--since", "10m"])
    RUBY
    JSON.parse("[#{output}]")
  end
end
