# frozen_string_literal: true

require "native/native_helper"

# Pins what the probe leans on in the VM, and what it promises there: keys, Ractors, M:N threads, GC, YJIT.
class VmTest < NativeTest
  def test_the_ninth_storage_key_is_refused
    output = fresh_ruby(<<~RUBY)
      8.times { GvlWork.take_key }
      begin
        Holdup::Probe.enable
      rescue Holdup::UnsupportedError => error
        puts error.message, Holdup::Probe.enabled?, Holdup::Probe.enter
      end
    RUBY
    message, enabled, handle = output.lines(chomp: true)
    assert_match(/8 of Ruby's per-thread storage keys.*load fewer/, message)
    assert_equal %w[false 0], [enabled, handle]
  end

  # What CRuby does to Ractors by itself is no fault of what is tested.
  one_ruby def test_a_script_with_ractors_that_does_not_end_is_run_again
    Dir.mktmpdir do |folder|
      output = fresh_ruby(<<~RUBY, timeout: 5)
        begun = #{File.join(folder, "begun").dump}
        File.exist?(begun) ? puts("again") : (File.write(begun, "") && sleep) # Ractor.new
      RUBY
      assert_equal "again", output.chomp
    end
  end

  def test_each_ractor_has_its_own_state
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      value = Ractor.method_defined?(:value) ? :value : :take
      ractors = Array.new(2) do
        Ractor.new do
          gate = Queue.new # both units have begun before one works
          unit = lambda do
            handle = Holdup::Probe.enter
            gate.pop
            40.times { GvlWork.hold(500_000); Thread.pass }
            Holdup::Probe.finish(handle)
          end
          threads = Array.new(2) { Thread.new(&unit) }
          Thread.pass until gate.num_waiting == 2
          gate.close
          threads.map(&:value)
        end
      end
      main = measured { 20.times { GvlWork.hold(1_000_000); sleep(0.001) } }
      units = ractors.flat_map(&value)
      sleep 0.05 while Holdup::Probe.snapshot[:waiting_threads] > 0
      puts main.stalled_ns < main.wall_ns / 10, main.caused_ns < main.wall_ns / 10
      stalled, running = %i[stalled_ns running_ns].map { |name| Holdup::Measurement.members.index(name) }
      puts units.all? { |unit| unit[stalled] > unit[running] / 5 }, Holdup::Probe.snapshot[:identity_ticks]
    RUBY
    assert_equal %w[true true true 0], output.split
  end

  # A tick walks through all that are known.
  def test_threads_and_ractors_that_are_gone_are_forgotten
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      value = Ractor.method_defined?(:value) ? :value : :take
      20.times { Thread.new { GvlWork.release(1) }.join }
      10.times { Ractor.new { Thread.new { GvlWork.release(1) }.join && 1 }.public_send(value) }
      500.times { Holdup::Probe.snapshot[:threads] > 1 ? sleep(0.01) : break }
      puts Holdup::Probe.snapshot.values_at(:threads, :identity_ticks)
    RUBY
    assert_equal %w[1 0], output.split
  end

  def test_mn_threads_count_right_and_park_as_io
    output = fresh_ruby(<<~RUBY, env: {"RUBY_MN_THREADS" => "1"})
      Holdup::Probe.enable
      work = -> { 20.times { GvlWork.hold(200_000); sleep(0.001) } }
      units = Array.new(6) { Thread.new { measured(&work) } }.map(&:value)
      sleep 0.05 while Holdup::Probe.snapshot[:waiting_threads] > 0
      puts units.all? { |unit| unit.wall_ns == unit.running_ns + unit.stalled_ns + unit.idle_ns }
      idle = units.all? { |unit| unit.sleep_ns.zero? && unit.io_ns.positive? }
      puts idle, Holdup::Probe.snapshot[:identity_ticks]
    RUBY
    assert_equal %w[true true 0], output.split
  end

  # The CPU clock is that of a native thread, and here a thread continues on that of another one.
  def test_threads_that_share_native_threads_have_no_cpu
    output = fresh_ruby(<<~RUBY, env: {"RUBY_MN_THREADS" => "1"})
      Holdup::Probe.enable
      work = -> { 10.times { GvlWork.hold(300_000); sleep(0.002) } }
      nested = -> { measured { work.call } && GvlWork.hold(100_000) }
      units = Array.new(6) { |i| Thread.new { measured(&(i.odd? ? work : nested)) } }.map(&:value)
      p units.map { |unit| [unit.cpu_ns, unit.starved_ns, unit.native_ns] }.uniq
      p units.all? { |unit| unit.wall_ns == unit.running_ns + unit.stalled_ns + unit.idle_ns }
      p units.all? { |unit| unit.io_ns == unit.idle_ns && unit.running_ns >= 3_000_000 }
      p Holdup::Probe.snapshot[:native_ns]
    RUBY
    assert_equal ["[[0, 0, 0]]", "true", "true", "0"], output.lines(chomp: true)
  end

  def test_threads_of_a_ractor_have_no_cpu_and_those_of_the_main_one_have
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      ractor = Ractor.new do
        handle = Holdup::Probe.enter
        GvlWork.hold(2_000_000)
        sleep 0.002
        Holdup::Measurement.new(*Holdup::Probe.finish(handle))
      end
      own = measured { GvlWork.hold(2_000_000) }
      other = ractor.respond_to?(:value) ? ractor.value : ractor.take
      p [other.cpu_ns, other.starved_ns, other.native_ns], other.running_ns >= 2_000_000, own.cpu_ns.positive?
    RUBY
    assert_equal ["[0, 0, 0]", "true", "true"], output.lines(chomp: true)
  end

  # Each Ractor has a lock of its own. One thread in each, because CRuby can lose the wake-up of several.
  def test_ledgers_of_ractors_are_exact_where_all_threads_share_native_threads
    output = fresh_ruby(<<~RUBY, env: {"RUBY_MN_THREADS" => "1"})
      Holdup::Probe.enable
      ractors = Array.new(2) do
        Ractor.new do
          handle = Holdup::Probe.enter
          15.times { GvlWork.hold(200_000); GvlWork.release(2) }
          Holdup::Measurement.new(*Holdup::Probe.finish(handle))
        end
      end
      own = Array.new(3) { Thread.new { measured { 15.times { GvlWork.hold(200_000); sleep(0.001) } } } }
      units = ractors.map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }
      units += own.map(&:value)
      sleep 0.05 while Holdup::Probe.snapshot[:waiting_threads] > 0
      p units.size, units.all? { |unit| unit.wall_ns == unit.running_ns + unit.stalled_ns + unit.idle_ns }
      p units.all? { |unit| unit.running_ns >= 3_000_000 && unit.io_ns == unit.idle_ns }
      p units.map { |unit| [unit.cpu_ns, unit.native_ns] }.uniq, Holdup::Probe.snapshot[:identity_ticks]
    RUBY
    assert_equal ["5", "true", "true", "[[0, 0]]", "0"], output.lines(chomp: true)
  end

  # A ring's entry has no place for "unknown": a unit of which it is has lacked no CPU.
  def test_the_ring_of_threads_that_share_native_threads
    Dir.mktmpdir("holdup", "/dev/shm") do |folder|
      output = fresh_ruby(<<~RUBY, env: {"RUBY_MN_THREADS" => "1"}, gems: true)
        require "holdup/segment/reader"
        Holdup::Probe.open_segment("#{folder}/segment", 20, 64, nil, 0)
        Holdup::Probe.enable
        Thread.new do
          handle = Holdup::Probe.enter
          GvlWork.hold(1_000_000)
          Holdup::Probe.record(handle, 1, "A", nil, nil, false)
        end.join
        snapshot = Holdup::Segment::Reader.open("#{folder}/segment", &:snapshot)
        entry = snapshot.ring.first
        sums = snapshot.slot("A").named_sums
        p entry.cpu_ns == entry.running_ns, entry.running_ns >= 1_000_000
        p sums.values_at(:cpu_ns, :starved_ns)
      RUBY
      assert_equal ["true", "true", "[0, 0]"], output.lines(chomp: true)
    end
  end

  def test_gc_stress_and_compaction
    Dir.mktmpdir do |folder|
      output = fresh_ruby(<<~RUBY)
        Holdup::Probe.enable
        Holdup::Probe.open_segment("#{folder}/segment", 20, 64, nil, 0)
        GC.stress = true
        30.times do |i|
          handle = Holdup::Probe.enter
          Thread.new { "x" * 100 }.join
          Holdup::Probe.label(Thread.main, "main")
          Holdup::Probe.record(handle, 1, "Name" + (i % 3).to_s, "queue", i, false)
        end
        Holdup::Probe.tick([1, nil, 3])
        Holdup::Probe.snapshot
        Holdup::Probe.accounts
        GC.stress = false
        if GC.respond_to?(:verify_compaction_references)
          GC.verify_compaction_references(expand_heap: true, toward: :empty)
        end
        Holdup::Probe.tick([])
        puts Holdup::Probe.snapshot[:identity_ticks]
      RUBY
      assert_equal "0", output.lines.last.chomp
    end
  end

  # A global TracePoint of another kind would leave YJIT useless for the life of the process (vm_trace.c): the
  # probe's internal GC events must not. The interpreted instructions of a warm method tell.
  def test_yjit_stays_effective
    skip "this Ruby counts no interpreted instructions" unless interpreted_instructions_counted?
    script = <<~RUBY
      def leaf(x) = (y = x * 3 + 1
        y - x)
      def mid(n) = (s = 0
        n.times { |i| s += leaf(i) }
        s)
      Holdup::Probe.enable if ARGV.empty?
      300.times { mid(20) }
      before = RubyVM::YJIT.runtime_stats[:vm_insns_count]
      100.times { mid(20) }
      puts((RubyVM::YJIT.runtime_stats[:vm_insns_count] - before) / 2000.0)
    RUBY
    assert_operator fresh_ruby(script, options: ["--yjit"]).to_f, :<, 5
  end

  def test_thread_churn_leaves_no_clock_behind
    2000.times.each_slice(50) { |slice| slice.map { Thread.new { Probe.finish(Probe.enter) } }.each(&:join) }
    wait_until { Probe.snapshot[:waiting_threads].zero? }
    assert_identity
  end
end
