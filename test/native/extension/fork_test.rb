# frozen_string_literal: true

require "native/native_helper"

class ForkTest < NativeTest
  FORKS = Thorough.turns(200, thorough: 1000)
  # Each fork runs beside four threads that compute: on a busy machine it takes half a second. A child that
  # hangs is noticed after 20 s.
  MOST_S = 900

  # CRuby 3.4 itself can lose a child inside fork, with or without a hook: terminate_atfork_i (thread.c) locks
  # each other thread's interrupt_lock, which a thread that was just leaving a blocking region may have held
  # (seen after 2,300 forks without any hook). Such a child never gets out of fork; it is recognised by its
  # silence and tried again.
  repeated def test_many_forks_under_load_without_a_hang
    output = fresh_ruby(<<~RUBY, timeout: MOST_S)
      Holdup::Probe.enable
      stop = false
      unit = ->(i) { measured { i.odd? ? GvlWork.hold(20_000) : GvlWork.release(5) } }
      load = Array.new(4) { |i| Thread.new { (unit.call(i) && GvlWork.wait(2_000_000)) until stop } }
      lost = []
      run = -> do
        reader, writer = IO.pipe
        pid = fork do
          writer.write "."
          Holdup::Probe.after_fork
          Holdup::Probe.enable
          unit = measured { [GvlWork.hold(10_000), Thread.new { GvlWork.release(1) }.join] }
          snapshot = Holdup::Probe.snapshot
          good = unit.wall_ns.positive? && snapshot[:acquisitions] < 20 && snapshot[:identity_ticks].zero?
          exit!(good ? 0 : 1)
        end
        writer.close
        out = reader.wait_readable(20) && reader.getc
        ended = out && reader.wait_readable(20) # end of file: the child is gone
        Process.kill(:KILL, pid) unless ended
        status = Process.wait2(pid).last
        next :stuck_in_fork unless out
        ended ? status.exitstatus : :hung
      ensure
        reader&.close
      end
      results = []
      results << run.call while results.count { |result| result != :stuck_in_fork } < #{FORKS}
      stop = true
      load.each(&:join)
      sleep 0.05 while Holdup::Probe.snapshot[:waiting_threads] > 0
      puts results.tally.to_a.join(" "), Holdup::Probe.snapshot[:identity_ticks]
    RUBY
    tally, identity = output.lines(chomp: true)
    results = tally.split.each_slice(2).to_h
    stuck = results.delete("stuck_in_fork").to_i
    assert_equal({"0" => FORKS.to_s}, results)
    assert_operator stuck, :<=, 10
    assert_equal "0", identity
  end

  def test_a_childs_counts_start_at_zero_and_the_parents_are_untouched
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      GvlWork.release(500)
      parent = Holdup::Probe.snapshot[:acquisitions]
      handle = Holdup::Probe.enter
      reader, writer = IO.pipe
      pid = fork do
        off = [Holdup::Probe.forked?, Holdup::Probe.enabled?, Holdup::Probe.enter]
        Holdup::Probe.after_fork
        Holdup::Probe.enable
        lost = Holdup::Probe.finish(handle)
        GvlWork.release(7)
        writer.puts [off, lost.inspect, Holdup::Probe.snapshot[:acquisitions]].flatten.join(" ")
      end
      Process.wait(pid)
      puts reader.gets
      puts Holdup::Probe.finish(handle) ? "kept" : "lost", Holdup::Probe.snapshot[:acquisitions] >= parent
    RUBY
    assert_equal ["true false 0 nil 7", "kept", "true"], output.lines(chomp: true)
  end

  def test_the_childs_segment_is_its_own
    Dir.mktmpdir do |folder|
      output = fresh_ruby(<<~RUBY)
        Holdup::Probe.enable
        Holdup::Probe.open_segment("#{folder}/parent", 10, 64, nil, 0)
        Holdup::Probe.record(Holdup::Probe.enter, 1, "a", nil, nil, false)
        before = File.binread("#{folder}/parent")
        pid = fork do
          Holdup::Probe.record(Holdup::Probe.enter, 1, "before arming", nil, nil, false)
          Holdup::Probe.after_fork
          Holdup::Probe.enable
          Holdup::Probe.record(Holdup::Probe.enter, 1, "without a segment", nil, nil, false)
          Holdup::Probe.open_segment("#{folder}/child", 10, 64, 3, 0)
          Holdup::Probe.record(Holdup::Probe.enter, 1, "b", nil, nil, false)
        end
        Process.wait(pid)
        puts before == File.binread("#{folder}/parent"), $?.success?
      RUBY
      assert_equal %w[true true], output.split
      refute_includes File.binread("#{folder}/parent"), "before arming"
      refute_includes File.binread("#{folder}/child"), "without a segment"
    end
  end
end
