# frozen_string_literal: true

require "native/native_helper"

# sum caused + handoff = sum stalled, in the clock's own ticks, whatever the threads do.
class BlameTest < NativeTest
  def test_the_identity_is_exact_under_stress
    mutex = Mutex.new
    queue = Queue.new
    reader, writer = IO.pipe
    work = [
      -> { GvlWork.hold(100_000) },
      -> { sleep(0.0001) },
      -> { mutex.synchronize { GvlWork.hold(20_000) } },
      -> { (queue << 1) && queue.pop },
      -> { writer.write("a") && reader.read(1) },
      -> { Thread.pass },
      -> { GvlWork.release(2) }
    ]
    threads = Array.new(8) { |seed| Thread.new { stress(work, Random.new(seed)) } }
    units = threads.flat_map(&:value)
    units.each { |unit| assert_adds_up unit }
    assert_identity
  end

  # It has the GVL from the moment on in which it wants it: the next line of C is no wait.
  def test_a_release_alone_is_not_followed_by_a_stall
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      handle = Holdup::Probe.enter
      GvlWork.release(1_000)
      unit = Holdup::Measurement.new(*Holdup::Probe.finish(handle))
      snapshot = Holdup::Probe.snapshot
      puts [unit.acquisitions, unit.stalled_ns, snapshot[:handoff_ns], snapshot[:identity_ticks]].join(" ")
    RUBY
    assert_equal "1000 0 0 0", output.chomp
  end

  # Another thread waits in between: all that each has waited is stall, and somebody's or nobody's.
  def test_who_waits_between_releases_of_another_has_stall
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      begun = 0
      work = lambda do
        begun += 1
        Thread.pass until begun == 2 # else one has ended before the other begins
        2_000.times { GvlWork.release(1) && Thread.pass }
      end
      threads = Array.new(2) { Thread.new { measured(&work) } }
      units = threads.map(&:value)
      snapshot = Holdup::Probe.snapshot
      puts units.all? { |unit| unit.stalled_ns.positive? }
      puts snapshot.values_at(:identity_ticks, :pairs_race_ticks).join(" ")
    RUBY
    assert_equal ["true", "0 0"], output.lines(chomp: true)
  end

  def test_threads_outside_of_units_have_accounts
    Probe.label(Thread.main, "main")
    go = Queue.new
    hog = Thread.new { go.pop && hold_once_waited_for(50 * MS) }
    Probe.label(hog, "thread:hog")
    wait_until { go.num_waiting == 1 }
    before = caused_by("thread:hog") # on its way there, perhaps
    all_ns = stalled_ns do
      go << true
      GvlWork.release(1) while hog.alive?
    end
    assert_includes 49 * MS..all_ns, caused_by("thread:hog") - before
  end

  def test_every_tick_of_blame_is_somewhere
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      Holdup::Probe.label(Thread.main, "main")
      before = Holdup::Probe.snapshot
      work = ->(i) { measured { i.even? ? GvlWork.hold(200_000) : GvlWork.wait(300_000) } }
      units = Array.new(6) { |i| Thread.new { Array.new(40) { work.call(i) } } }.flat_map(&:value)
      others = Array.new(3) { Thread.new { 50.times { GvlWork.hold(100_000); sleep(0.0002) } } }.each(&:join)
      sleep 0.05 while Holdup::Probe.snapshot[:waiting_threads] > 0
      accounts = Holdup::Probe.accounts
      snapshot = Holdup::Probe.snapshot
      stalled = units.sum(&:stalled_ns) + accounts.sum { |_, (_, stalled, _, _)| stalled }
      caused = units.sum(&:caused_ns) + accounts.sum { |_, (_, _, _, caused)| caused } + snapshot[:handoff_ns]
      puts [stalled, caused, snapshot[:stalled_ns], snapshot[:identity_ticks]].join(" ")
    RUBY
    stalled, caused, total, ticks = output.split.map(&:to_i)
    assert_equal 0, ticks
    assert_in_delta stalled, caused, stalled * 0.0001
    assert_in_delta total, stalled, total * 0.0001
  end

  # Other threads begin to wait all the time, also after an edge has read the clock and before it reads the
  # ledger. Each unit and account loses less than 1 ns to rounding.
  def test_units_cause_no_more_than_there_is_when_others_begin_to_wait_at_their_edges
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      stop = false
      others = Array.new(6) { |i| Thread.new { GvlWork.wait(20_000 + 7_000 * i) until stop } }
      units = Array.new(8_000) { measured { GvlWork.release(1) } }
      stop = true
      others.each(&:join)
      accounts = Holdup::Probe.accounts
      snapshot = Holdup::Probe.snapshot
      caused = units.sum(&:caused_ns) + accounts.sum { |_, (_, _, _, caused)| caused }
      puts [units.size + accounts.size, caused, snapshot[:caused_ns], snapshot[:identity_ticks]].join(" ")
    RUBY
    rounded, caused, total, ticks = output.split.map(&:to_i)
    assert_equal 0, ticks
    assert_in_delta total, caused, rounded
  end

  # What a reader may compare: accounts, hand-off and totals as one tick wrote them.
  FIRST_TICK = <<~RUBY
    require "holdup/segment/reader"
    path = File.join(ARGV[0], "books")
    probe = Holdup::Probe
    probe.open_segment(path, 50, 64, 0, 0)
    probe.enable
    probe.label(Thread.main, "main")
    books = lambda do
      probe.tick(Array.new(21))
      snapshot = Holdup::Segment::Reader.open(path, &:snapshot)
      slots = snapshot.slots.compact
      caused = slots.sum { |slot| slot.sums[Holdup::Segment::Layout::SUMS.index(:caused_ns)] }
      stalled = slots.sum { |slot| slot.histogram(:stalled).sum }
      totals = snapshot.counters.values_at(:caused_ns, :handoff_ns, :stalled_ns)
      waiting = snapshot.gauges[:waiting_threads]
      puts [waiting, caused + totals[1], stalled, totals[0] + totals[1], totals[2]].join(" ")
    end
  RUBY

  def test_the_books_of_a_tick_balance_while_threads_wait
    each_tick(<<~RUBY) { |waiting| assert_operator waiting, :>, 0 }
      threads = Array.new(4) { Thread.new { GvlWork.hold(3_000_000) } }
      nil until probe.snapshot[:waiting_threads] > 2
      GvlWork.hold(20_000_000)
      books.call
      threads.each(&:join)
    RUBY
  end

  # It was never without the GVL, so it has acquired nothing.
  def test_the_books_of_the_first_tick_have_what_the_first_holder_caused
    each_tick(<<~RUBY) { |waiting| assert_equal 0, waiting }
      ticker = Thread.new { books.call }
      nil until probe.snapshot[:waiting_threads] > 0
      GvlWork.hold(20_000_000)
      ticker.join
    RUBY
  end

  private

  # @yieldparam waiting [Integer] threads at that tick
  def each_tick(script)
    Dir.mktmpdir do |dir|
      fresh_ruby("ARGV.replace([#{dir.dump}])\n#{FIRST_TICK}#{script}").each_line do |line|
        waiting, explained, stalled, explained_in_all, stalled_in_all = line.split.map(&:to_i)
        yield waiting
        assert_operator explained, :>, 0
        assert_in_delta stalled, explained, stalled * 0.001, "the accounts: #{line}"
        assert_in_delta stalled_in_all, explained_in_all, stalled_in_all * 0.001, "the totals: #{line}"
      end
    end
  end

  def caused_by(account)
    Probe.accounts.fetch(account).last
  end

  def stress(work, random)
    Array.new(400) { measured { work.sample(random: random).call } }
  end
end
