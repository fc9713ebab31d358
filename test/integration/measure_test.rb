# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Holdup.measure in a script, as cron runs it: whatever becomes of the block, the store has what a person
# would count.
class MeasureIntegrationTest < Minitest::Test
  def setup
    @root = Dir.mktmpdir
  end

  def teardown = FileUtils.remove_entry(@root)

  def environment
    own = {"HOLDUP_DIR" => File.join(@root, "segments"), "HOLDUP_STORE" => "sqlite://#{@root}/store.sqlite3",
           "HOLDUP_COLLECTOR" => "off"}
    CommandLine::OWN_LOAD_PATH.merge(own)
  end

  # @return [Process::Status]
  def script(text)
    prelude = "$LOAD_PATH.unshift(#{Collecting::LIB.dump})\nrequire \"holdup\"\nHoldup.start\n"
    output, status = Open3.capture2e(environment, "timeout", WaitUntil::PATIENCE_S.to_s, RbConfig.ruby,
      "-W:no-experimental", "-e", prelude + text)
    @output = output
    status
  end

  # @return [Hash{String => Array<Integer>}] name => units, errors
  def counted
    summary.rows.to_h { |row| [row.name, [row.count, row.errors]] }
  end

  def summary
    @summary ||= begin
      system(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--once", exception: true)
      store = Holdup::Store.open(environment["HOLDUP_STORE"])
      now = Time.now.to_i
      Holdup::Analysis::Summary.new(store.windows(now - 600, now + 120), from_s: now - 600, to_s: now + 120)
    end
  ensure
    store&.close
  end

  def unit_samples
    store = Holdup::Store.open(environment["HOLDUP_STORE"])
    store.unit_samples(Time.now.to_i - 600, Time.now.to_i + 120).to_a
  ensure
    store&.close
  end

  def test_a_block_that_does_not_end_as_usual
    status = script(<<~RUBY)
      begin
        Holdup.measure("raises") { raise IOError, "gone" }
      rescue IOError => error
        puts error.message
      end
      catch(:done) { Holdup.measure("throws") { throw :done } }
      [1].each { |_| Holdup.measure("breaks") { break } }
      Thread.new { Holdup.measure("is killed") { Thread.current.kill } }.join
      Holdup.measure("rescues inside") { Integer("x") rescue 0 }
      Holdup.measure("exits well") { exit 0 }
    RUBY
    assert_predicate status, :success?, @output
    assert_equal ["gone\n"], @output.lines.grep_v(/\Aholdup: measuring /)
    well = ["throws", "breaks", "is killed", "rescues inside", "exits well"].to_h { |name| [name, [1, 0]] }
    assert_equal({"raises" => [1, 1], **well}, counted)
  end

  # Planted hogs, from the probe through the collector and the store into the report.
  def test_the_report_names_the_methods_that_make_others_wait
    hog = ->(name) do
      "def #{name}\n  from = WALL.call\n  ending = CPU.call + 40\n  nil while CPU.call < ending\n  " \
        "HELD[:#{name}] += WALL.call - from\nend\n"
    end
    File.write(File.join(@root, "hogs.rb"), %w[large medium small].map(&hog).join)
    status = script(<<~RUBY)
      CPU = -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :millisecond) }
      WALL = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond) }
      HELD = Hash.new(0)
      load #{File.join(@root, "hogs.rb").dump}
      3.times { Thread.new { loop { sleep 0.0005 } } }
      work = {large: 24, medium: 12, small: 4}.flat_map { |name, count| [name] * count }
      work.shuffle(random: Random.new(7)).each { |name| Holdup.measure("cron") { send(name) }; sleep 0.003 }
      puts "held \#{HELD.values_at(:large, :medium, :small).join(" ")}"
    RUBY
    assert_predicate status, :success?, @output
    system(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--once", exception: true)
    report, = Open3.capture2(environment, RbConfig.ruby, CommandLine::EXE, "report", "--since", "10m",
      "--format", "json")
    methods = JSON.parse(report).fetch("methods").select { |line| line["name"] == "cron" }
    caused = methods.group_by { |line| line["method"][/\b(large|medium|small)\z/] }
      .transform_values { |lines| lines.sum { |line| line["caused_ns"] } }
    # A busy machine can stop the main thread within a hog, which then makes others wait for longer than
    # the others do; or between two, and its frame is sampled then, rightly.
    held = @output[/^held (.+)$/, 1].split.map(&:to_f)
    ["large", "medium", "small", nil].zip([*held, 0]) do |name, ms|
      assert_in_delta 100 * ms / held.sum, 100.0 * caused.fetch(name, 0) / caused.values.sum, 10,
        methods.inspect
    end
  end

  # The sample of single units has all of these few, and they are what the windows add up.
  def test_units_are_there_singly
    status = script(<<~RUBY)
      gate = Queue.new # all three are there before one begins
      work = -> { Holdup.measure("cron") { 20_000.times { |i| i.to_s }; sleep(0.002) } }
      threads = Array.new(3) { Thread.new { gate.pop; 5.times { work.call } } }
      Thread.pass until gate.num_waiting == 3
      gate.close
      threads.each(&:join)
    RUBY
    assert_predicate status, :success?, @output
    cron = summary.rows.find { |row| row.name == "cron" }
    units = unit_samples
    assert_equal [15, 15.0], [units.size, units.sum(&:weight)]
    assert_in_delta cron.wall_ns, units.sum(&:wall_ns), 15 * 2000
    assert units.all? { |unit|
      unit.in_flight.between?(1,
        3) && unit.cpu_ns <= unit.running_ns && unit.acquisitions.positive?
    }
    assert_operator units.map(&:in_flight).max, :>, 1.5
  end

  def test_a_block_that_exits_with_a_failure
    assert_equal 3, script('Holdup.measure("cron") { exit 3 }').exitstatus
    assert_equal({"cron" => [1, 1]}, counted)
  end

  def test_a_block_that_forks
    status = script(<<~RUBY)
      Holdup.measure("parent") do
        Process.wait(fork { Holdup.measure("child") { } })
        Process.wait(fork { exit!(0) })
        Process.wait(fork { raise "in the child" })
        system("true")
      end
      # Both processes leave the block; one of them began it.
      child = Holdup.measure("forks and goes on") { fork }
      child ? Process.wait(child) : Holdup.measure("later in the child") { }
    RUBY
    assert_predicate status, :success?, @output
    assert_equal(
      {"parent" => [1, 0], "child" => [1, 0], "forks and goes on" => [1, 0],
       "later in the child" => [1, 0]}, counted
    )
  end

  def test_a_process_that_is_killed
    status = script(<<~RUBY)
      3.times { Holdup.measure("finished") { } }
      Holdup.measure("cut off") { Process.kill(:KILL, Process.pid) && sleep }
    RUBY
    assert_predicate status, :signaled?
    assert_equal({"finished" => [3, 0]}, counted)
  end

  def test_a_process_that_is_asked_to_end
    status = script('Holdup.measure("asked") { Process.kill(:TERM, Process.pid) && sleep }')
    assert_equal Signal.list["TERM"], status.termsig
    assert_equal({"asked" => [1, 1]}, counted)
  end

  def test_a_block_inside_a_block
    status = script(<<~RUBY)
      Holdup.measure("outer") { sleep 0.05; 2.times { Holdup.measure("inner", queue: "low") { sleep 0.1 } } }
    RUBY
    assert_predicate status, :success?, @output
    assert_equal({"outer" => [1, 0], "inner" => [2, 0]}, counted)
    walls = summary.rows.to_h { |row| [row.name, row.wall_ns] }
    assert_operator walls["outer"], :>, walls["inner"]
    assert_in_delta walls["outer"], summary.total.wall_ns, 100 # not both; each unit is rounded by itself
  end
end
