# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/segment/directory"

# Which method keeps the others waiting: samples of long holds as the probe takes them and the segment keeps
# them.
class HoldSamplesTest < Minitest::Test
  include FreshRuby

  APPLICATION = <<~RUBY
    class Report
      def large(ms)
        ending = SomeGem.now + ms
        nil while SomeGem.now < ending
      end

      def medium(ms)
        [1].each { SomeGem.spin(ms) }
      end

      def small(ms)
        ending = SomeGem.now + ms
        nil while SomeGem.now < ending
      end

      def native(ms)
        GvlWork.hold(ms * 1_000_000)
      end

      def collect(ms)
        ending = SomeGem.now + ms
        GC.start while SomeGem.now < ending
      end

      def hooked
        Hooked.new.call
      end
    end
  RUBY
  GEM = <<~RUBY
    module SomeGem
      def self.now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :millisecond)

      def self.spin(ms)
        ending = now + ms
        nil while now < ending
      end

      def self.hooked
        Hooked.new.call
      end
    end
  RUBY
  # As Holdup's code stands inside that of others: a hook has a name of theirs, and calls the probe.
  OURS = <<~RUBY
    class Hooked
      def call = Holdup::Probe.hold_asked(60_000_000)
    end
  RUBY
  # Where no code of the application runs, the file that the test itself stands in says what called.
  SCRIPT = /\A-e:\d+ /

  def setup
    @dir = Dir.mktmpdir("holdup-native-holds")
    FileUtils.mkdir_p(%w[app gems ours].map { |name| "#{@dir}/#{name}" })
    File.write("#{@dir}/app/report.rb", APPLICATION)
    File.write("#{@dir}/gems/some_gem.rb", GEM)
    File.write("#{@dir}/ours/hook.rb", OURS)
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  # Holds of one length, so that shares of the stall are shares of the holds.
  OVER_NS = 10_000_000
  HOLDS = {large: 30, medium: 15, small: 5, native: 25, collect: 25}.freeze

  def test_the_shares_of_methods_are_those_of_the_stall_that_they_cause
    write(<<~RUBY)
      KEPT = Array.new(300_000) { "kept" * 8 } # for a GC of some milliseconds
      calls = #{HOLDS.inspect}.flat_map { |name, count| [name] * count }.shuffle(random: Random.new(7))
      victims(3) do
        calls.each do |name|
          unit("ReportsController#show") { Report.new.public_send(name, 40) }
          sleep 0.003
        end
      end
    RUBY
    # A sample that falls between two calls belongs to their caller.
    assert_operator shares.fetch("the script", 0), :<, 2
    assert_equal HOLDS.keys.map { |name| "Report##{name}" }.sort, shares.keys.sort - ["the script"]
    HOLDS.each do |name, share|
      assert_in_delta share, shares.fetch("Report##{name}"), 10, "#{name} of #{shares.inspect}"
    end
    {"Report#collect" => "(GC)", "Report#native" => "(native C)"}.each do |name, part|
      assert_equal part, called(name).first, "what most of #{name} is"
    end
    assert_includes called("Report#medium"), "Process.clock_gettime"
  end

  def test_half_of_what_holds_cause_is_sampled_and_never_more_than_all
    write(<<~RUBY)
      victims(3) { 20.times { unit("A#b") { Report.new.large(40) }; sleep 0.003 } }
    RUBY
    caused = snapshot.slot("A#b").named_sums[:caused_ns]
    assert_includes (caused / 2)..caused, slots.sum { |slot| slot.named_sums[:caused_ns] }
  end

  # Where CPUs are short the units last longer, and the thread that watches has more to look at.
  def test_nothing_is_taken_while_nobody_waits
    write(<<~RUBY)
      now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }
      from = now.call
      5.times { unit("A#b") { Report.new.large(40) } }
      puts "lasted_ns=\#{now.call - from}"
    RUBY
    assert_equal [0, 0], @figures.values_at(:taken, :places)
    assert_operator @figures[:watch_ns], :<, @figures[:lasted_ns] / 100
    assert_empty slots
  end

  # At the end of some units, the probe asks Ruby for its heaps; a slow answer shows whether it is sampled.
  def test_what_the_probe_asks_is_no_method_of_the_application
    write(<<~RUBY)
      SLOW = Module.new do
        def stat_heap(...)
          Report.new.large(15)
          super
        end
      end
      GC.singleton_class.prepend(SLOW)
      victims(3) { 20.times { unit("A#b") { nil }; sleep 0.001 } }
    RUBY
    assert_operator @figures[:missed], :>, 0, "nothing was asked for"
    # The rest of the hold is the application's, a few microseconds.
    caused = snapshot.slot("A#b").named_sums[:caused_ns]
    assert_operator slots.sum { |slot| slot.named_sums[:caused_ns] }, :<, caused / 100
  end

  def test_nothing_is_taken_of_short_holds
    write(<<~RUBY)
      victims(3) { 200.times { unit("A#b") { Report.new.large(1) }; sleep 0.001 } }
    RUBY
    longest = snapshot.slot("A#b").histogram(:longest_hold)
    assert_operator slots.sum(&:count), :<=, samples_of_long_holds(longest)
  end

  def test_threads_outside_of_requests_have_their_account
    write(<<~RUBY)
      PROBE.label(Thread.main, "main")
      victims(3) { 5.times { Report.new.large(40) ; sleep 0.003 } }
    RUBY
    assert_equal ["main"], slots.map { |slot| slot.series.name }.uniq
  end

  def test_a_place_has_no_arguments_and_no_values
    write(<<~RUBY)
      victims(3) { 5.times { unit("A#b") { Report.new.large(40) }; sleep 0.003 } }
    RUBY
    method = /[\w:.#]+|block (?:\(\d+ levels\) )?in <main>/
    place = %r{\A(?:app/report\.rb|gems/some_gem\.rb|-e):\d+ (?:#{method})(?: \| [\w:.#() ]+)?\z}
    requests, threads = slots.partition { |slot| slot.series.name == "A#b" }
    requests.each { |slot| assert_match(place, slot.series.queue) }
    # A thread that begins or ends has no stack.
    threads.each { |slot| assert_match(/#{place}|\A\(unknown\)\z/, slot.series.queue) }
  end

  # Who calls the probe's methods, or a method in C that has no file => what its place is.
  CALLERS = {
    "Report.new.hooked" => %r{\Aapp/report\.rb:\d+ Report#hooked\z},
    "SomeGem.hooked" => %r{\Agems/some_gem\.rb:\d+ SomeGem\.hooked\z},
    "PROBE.hold_asked(60_000_000)" => /\A-e:\d+ block .*in <main>\z/,
    "GvlWork.hold_asked(60_000_000)" => /\A-e:\d+ block .*in <main> \| GvlWork\.hold_asked\z/
  }.freeze

  # Several samples, because a busy machine may take a thread's CPU away in any line.
  def test_a_place_is_in_a_file_and_no_method_of_holdup
    write(<<~RUBY)
      victims(3) do
        #{CALLERS.keys.map { |call| "long { unit(#{call.dump}) { #{call} } }" }.join("\n")}
      end
    RUBY
    CALLERS.each do |call, place|
      names = slots.select { |slot| slot.series.name == call }.map { |slot| slot.series.queue }
      assert names.grep(place).any?, "#{call}: #{names}"
    end
    assert_empty slots.map { |slot| slot.series.queue }.grep(/Holdup|<cfunc>|<internal/)
  end

  # Nothing else is in their stacks, and it is them who hold the GVL.
  def test_a_thread_of_holdup_itself_is_named_by_its_own_code
    write(<<~RUBY)
      hook = Hooked.new.method(:call)
      victims(3) { long { Thread.new(&hook).join } }
    RUBY
    names = slots.map { |slot| slot.series.queue }
    assert_includes names, "ours/hook.rb:2 Hooked#call | Holdup::Probe.hold_asked"
  end

  def test_the_table_is_bounded_and_counts_what_it_left_out
    write(<<~RUBY)
      names = Array.new(PROBE::MOST_PLACES + 20) { |number| "method\#{number}" }
      path = #{File.join(@dir, "app", "many.rb").dump}
      lines = names.map { |name| "def \#{name} = SomeGem.spin(12)\n" }
      File.write(path, "class Many\n\#{lines.join}end")
      load path
      many = Many.new
      victims(3) do
        # A busy machine misses some of them.
        5.times do
          next if PROBE.hold_samples[:left_out].positive?
          names.each { |name| unit("A#b") { many.public_send(name) }; sleep 0.001 }
        end
      end
      puts "places_of_holds=\#{PROBE.hold_samples[:places]}"
      wait_for_lock("C#d") until PROBE.lock_samples[:taken].positive?
    RUBY
    assert_operator @figures[:places_of_holds], :<, 256
    assert_operator @figures[:left_out], :>, 0
    assert_operator slots.size, :<=, 129
    assert_includes slots.map { |slot| slot.series.name }, "(series beyond the limit)"
    assert_includes slots(:lock_place).map { |slot| slot.series.name }, "C#d", "locks have room of their own"
    refute_includes slots(:lock_place).map { |slot| slot.series.queue }, "(others)"
  end

  def test_a_fork_begins_with_an_empty_table
    write(<<~RUBY)
      victims(3) { 5.times { unit("A#b") { Report.new.large(40) }; sleep 0.003 } }
      before = PROBE.hold_samples
      child = fork do
        PROBE.after_fork
        raise "not empty" unless PROBE.hold_samples.values.all?(&:zero?)
        PROBE.enable
        raise "does not sample" unless PROBE.sample_holds(10_000_000)
        victims(3) { 5.times { unit("A#b") { Report.new.large(40) }; sleep 0.003 } }
        raise "takes nothing" unless PROBE.hold_samples[:taken].positive?
      end
      Process.wait(child)
      raise "the child failed" unless $?.success?
      raise "the parent lost some" unless PROBE.hold_samples[:taken] >= before[:taken]
    RUBY
    refute_empty slots
  end

  def test_goes_on_beside_a_capture_whose_stacks_are_taken_too
    ring = File.join(@dir, "1.events")
    write(<<~RUBY)
      raise unless PROBE.open_capture(#{ring.dump}, 4096, 0, 0, 5_000_000)
      victims(3) { 10.times { unit("during") { Report.new.large(40) }; sleep 0.003 } }
      PROBE.close_capture
      victims(3) { 10.times { unit("after") { Report.new.large(40) }; sleep 0.003 } }
    RUBY
    assert_equal %w[after during], slots.map { |slot| slot.series.name }.uniq.sort & %w[after during]
    assert_includes File.binread(ring), "Report#large"
  end

  def test_switching_off_and_on_while_an_answer_is_outstanding
    write(<<~RUBY)
      GC.stress = 0x01
      victims(2) do
        30.times do |turn|
          handle = PROBE.enter
          off = Thread.new do
            sleep 0.012
            turn.even? ? PROBE.disable : PROBE.sample_holds(0)
            PROBE.enable
            PROBE.sample_holds(10_000_000)
          end
          Report.new.public_send(%i[large native].fetch(turn % 2), 15)
          PROBE.record(handle, 1, "A#b", nil, nil, false)
          off.join
        end
      end
      GC.stress = false
      victims(2) { 10.times { unit("A#b") { Report.new.large(30) } } }
    RUBY
    assert_operator @figures[:taken], :>, 0
  end

  def test_an_exit_while_an_answer_is_outstanding
    script = <<~RUBY
      Array.new(3) { Thread.new { loop { sleep 0.0005 } } }
      Thread.new { sleep 0.02; exit }
      loop { Report.new.native(30) }
    RUBY
    5.times { run_script(script) }
  end

  private

  def snapshot
    @snapshot ||= Holdup::Segment::Reader.open(Dir["#{@dir}/*.segment"].first, gone: true, &:snapshot)
  end

  def slots(kind = :method) = snapshot.slots.select { |slot| slot.series.kind == kind }

  # A thread that has no CPU for a while holds the GVL for long, too: how many samples that allows at most.
  def samples_of_long_holds(longest)
    long = longest.counts.each_index.select do |index|
      Holdup::Histogram::Buckets.first(longest.offset + index + 1) > OVER_NS
    end
    long.sum { |index| longest.counts[index] } * (longest.max.to_i / OVER_NS + 1)
  end

  # By method, without the line and what it called.
  def shares
    named = slots.select { |slot| slot.series.name == "ReportsController#show" }
    sums = named.group_by { |slot| slot.series.queue.match?(SCRIPT) ? "the script" : method_of(slot) }
      .transform_values { |same| same.sum { |slot| slot.named_sums[:caused_ns] } }
    sums.transform_values { |ns| 100.0 * ns / sums.values.sum }
  end

  def method_of(slot) = slot.series.queue[/:\d+ (\S+)/, 1]

  # What the method had called, the largest part first.
  def called(method)
    largest = slots.sort_by { |slot| -slot.named_sums[:caused_ns] }
    largest.map { |slot| slot.series.queue }.filter_map { |place| place[/:\d+ #{method} \| (.*)/, 1] }
  end

  def write(script)
    output = run_script(<<~RUBY)
      #{script}
      PROBE.tick([])
      PROBE.sample_holds(0)
      puts PROBE.hold_samples.map { |name, number| "\#{name}=\#{number}" }
      PROBE.close_segment
    RUBY
    @figures = output.scan(/^(\w+)=(\d+)$/).to_h { |name, number| [name.to_sym, number.to_i] }
  end

  def run_script(script)
    FileUtils.rm_f(segment = File.join(@dir, "1-1.segment"))
    fresh_ruby(<<~RUBY)
      PROBE = Holdup::Probe
      load #{"#{@dir}/gems/some_gem.rb".dump}
      load #{"#{@dir}/app/report.rb".dump}
      GvlWork.hold_asked_in(PROBE)
      load #{"#{@dir}/ours/hook.rb".dump}
      def unit(name)
        handle = PROBE.enter
        yield
        PROBE.record(handle, 1, name, nil, nil, false)
      end
      def long
        before = PROBE.hold_samples[:taken]
        yield until PROBE.hold_samples[:taken] >= before + 4
      end
      def victims(count)
        stop = false
        threads = Array.new(count) { Thread.new { sleep 0.0005 until stop } }
        yield
      ensure
        stop = true
        threads.each(&:join)
      end
      def wait_for_lock(name)
        lock = Mutex.new.tap(&:lock)
        waiter = Thread.new { unit(name) { lock.synchronize { nil } } }
        Thread.pass until waiter.stop?
        GvlWork.wait(12_000_000)
        lock.unlock
        waiter.join
      end
      PROBE.open_segment(#{segment.dump}, 20, 128, 3, 7)
      PROBE.application_folders(#{"#{@dir}/".dump}, [#{"#{@dir}/gems/".dump}], #{"#{@dir}/ours/".dump})
      PROBE.enable
      PROBE.sample_holds(10_000_000)
      #{script}
    RUBY
  end
end
