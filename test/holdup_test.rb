# frozen_string_literal: true

require "test_helper"

# The public surface, each in a Ruby of its own: measuring is for a whole process.
class HoldupTest < Minitest::Test
  LIB = File.expand_path("../lib", __dir__)

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown = FileUtils.remove_entry(@dir)

  def run_script(script, **env)
    defaults = {
      "HOLDUP_DIR" => @dir,
      "HOLDUP_COLLECTOR" => "off",
      "BUNDLE_GEMFILE" => nil,
      "RUBYOPT" => nil
    }
    prelude = "$LOAD_PATH.unshift(#{LIB.dump})\nrequire \"holdup\"\n"
    fresh_ruby(script, prelude:, env: defaults.merge(env.transform_keys(&:to_s)))
  end

  def jobs
    Holdup::Segment::Directory.new(@dir).entries.flat_map { |entry| entry.read(&:snapshot).slots }
      .select { |slot| slot.series.kind == :job }.to_h { |slot|
      [slot.series.name,
        [slot.count, slot.errors, slot.series.queue]]
    }
  end

  def test_requiring_it_starts_nothing_and_loads_no_gem
    output = fresh_ruby(<<~RUBY, prelude: "", gems: true, env: {"BUNDLE_GEMFILE" => nil, "RUBYOPT" => nil})
      $LOAD_PATH.unshift(#{LIB.dump})
      before = $LOADED_FEATURES.dup
      require "holdup"
      loaded = ($LOADED_FEATURES - before).reject { |path| path.start_with?(#{LIB.dump}) }
      p Holdup.running?, Thread.list.size, loaded
    RUBY
    assert_equal "false\n1\n[]\n", output
    assert_empty Dir.children(@dir)
  end

  def test_measures_any_block_from_start_to_exit
    run_script(<<~RUBY)
      Holdup.start
      Holdup.measure("Report", queue: "low") { 1 }
      Holdup.measure("Report", queue: "low") { raise "theirs" } rescue nil
      Holdup.measure("Other") { Holdup.name = "Renamed" }
      Holdup.name = "nothing runs"
    RUBY
    assert_equal({"Report" => [2, 1, "low"], "Renamed" => [1, 0, nil]}, jobs)
  end

  def test_the_current_figures_end_as_they_are_recorded
    output = run_script(<<~RUBY, HOLDUP_LOG: "off")
      Holdup.start
      figures = nil
      Holdup.measure("Report") { figures = Holdup.current; sleep 0.001; figures.elapsed.positive? or abort }
      p Holdup.current, figures.frozen?, figures.elapsed_ns
      p figures.to_h.values_at(:cpu_ns, :starved_ns, :io_ns, :lock_ns, :sleep_ns, :native_ns, :gc_ns)
    RUBY
    slot = Holdup::Segment::Directory.new(@dir).entries.first.read(&:snapshot).slots
      .find { |one| one.series.name == "Report" }
    wall_ns = slot.histograms.first.sum
    assert_equal "nil\ntrue\n#{wall_ns}\n#{slot.sums.first(7)}\n", output
  end

  def test_on_finish_never_reaches_the_application
    output = run_script(<<~RUBY, HOLDUP_LOG: "stdout")
      Holdup.configure do |config|
        config.on_finish = ->(figures) { puts [figures.kind, figures.name].join(" ") or raise "theirs" }
      end
      Holdup.start
      2.times { puts Holdup.measure("Report") { 7 } }
    RUBY
    lines = output.lines(chomp: true).drop(1) # what is measured
    failures, others = lines.partition { |line| line.include?("on_finish failed") }
    assert_equal ["job Report", "7"] * 2, others
    assert_equal 1, failures.size, output
  end

  def test_start_and_stop_can_be_repeated
    run_script(<<~RUBY)
      3.times { Holdup.start; Holdup.measure("x") { 1 }; Holdup.stop }
      Holdup.measure("after") { 1 }
    RUBY
    entries = Holdup::Segment::Directory.new(@dir).entries
    assert_equal [1, 1, 1],
      entries.map { |entry| entry.read { |reader| reader.snapshot.slot("x", kind: :job).count } }
  end

  def test_messages_can_be_switched_off_in_code_and_in_the_environment
    failing = "p Holdup.runtime.guard.call(:test) { raise \"boom\" }"
    assert_match(/holdup: test failed.*boom/, run_script(failing))
    assert_equal "nil\n", run_script(failing, HOLDUP_LOG: "off")
    assert_equal "nil\n", run_script("Holdup.configure { |config| config.log = File::NULL }\n#{failing}")
  end

  def test_no_log_stops_measuring
    pipe = File.join(@dir, "pipe")
    File.mkfifo(pipe)
    logs = %w[/dev/stdout /dev/stderr /proc/self/fd/2 /proc/none /dev/full log/holdup.log ~/holdup.log]
    logs += [pipe, @dir]
    logs.each do |log|
      printed = run_script("puts Holdup.start", HOLDUP_LOG: log)
      assert_match(/^true$/, printed, log)
      assert_match(/holdup: measuring this process/, printed, log)
    end
    assert_equal "true\n", run_script("puts Holdup.start", HOLDUP_LOG: File::NULL)
  end

  def test_hostile_names_are_harmless
    run_script(<<~'RUBY')
      Holdup.start
      ["x" * 100_000, "a\0b", "\xff\xfe", "", nil, 7, "caf\u00e9"].each { |name| Holdup.measure(name) { 1 } }
      Holdup.measure("x") { Holdup.name = "\0" * 100_000 }
    RUBY
    assert_equal 8, jobs.sum { |_, (count, _, _)| count }
    assert(jobs.keys.all? { |name| name.valid_encoding? && name.bytesize <= 200 })
    assert_includes jobs.keys, "caf\u00e9"
  end

  def test_more_names_than_the_limit_go_to_one_series
    run_script("Holdup.start; 30.times { |n| Holdup.measure(\"job \#{n}\") { 1 } }",
      HOLDUP_SERIES_LIMIT: "10")
    slots = Holdup::Segment::Directory.new(@dir).entries.first.read(&:snapshot).slots
    assert_equal [10, 20], [jobs.size, slots.find { |slot| slot.series.kind == :overflow }.count]
  end

  def test_configures_before_and_not_after
    output = run_script(<<~RUBY)
      Holdup.configure { |config| config.series_limit = 7 }
      p Holdup.configuration.series_limit
      begin
        Holdup.configure { |config| config.series_limit = 0 }
      rescue Holdup::ConfigurationError => error
        puts error.message
      end
      p Holdup.configuration.series_limit
      Holdup.start
      begin
        Holdup.configure { |config| config.series_limit = 8 }
      rescue Holdup::ConfigurationError => error
        puts error.message
      end
    RUBY
    output = output.lines.grep_v(/\Aholdup: measuring /).join
    assert_equal "7\nseries_limit can't be 0; give a whole number from 1 to 10000\n7\n" \
      "configure can't be \"a call after Holdup.start\"; give your settings before it\n", output
  end

  def test_forks_measure_for_themselves
    run_script(<<~RUBY)
      Holdup.start
      Holdup.measure("parent") { 1 }
      3.times { fork { Holdup.measure("child") { 1 } } }
      Process.waitall
      Holdup.measure("parent") { 1 }
    RUBY
    counts = Holdup::Segment::Directory.new(@dir).entries.map do |entry|
      entry.read(&:snapshot).slots.select { |slot| slot.series.kind == :job }.to_h { |slot|
        [slot.series.name, slot.count]
      }
    end
    assert_equal [{"child" => 1}, {"child" => 1}, {"child" => 1}, {"parent" => 2}], counts.sort_by(&:to_s)
  end

  def test_units_under_async_fibers_keep_their_names
    run_script(<<~RUBY)
      Holdup.start
      fibers = %w[a b].map do |name|
        Fiber.new do
          Holdup.measure("unnamed") do
            Fiber.yield
            Holdup.name = name
          end
        end
      end
      2.times { fibers.each(&:resume) }
    RUBY
    assert_equal %w[a b], jobs.keys.sort
  end
end
