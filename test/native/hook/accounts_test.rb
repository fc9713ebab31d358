# frozen_string_literal: true

require "native/native_helper"
require "tmpdir"
require "holdup/model/quantities"
require "holdup/collector/pair_delta"
require "holdup/collector/segment_delta"
require "holdup/segment/directory"

# The accounts of threads outside of units: there are so many. When all are taken, those of ended threads are
# used again for others, and every nanosecond still counts once.
class AccountsTest < NativeTest
  # Accounts that threads can have, beside the two for threads without a name of their own.
  MOST = 62

  SCRIPT = <<~RUBY
    require "holdup/segment/directory"
    require "holdup/segment/reader"
    require "holdup/model/quantities"
    require "holdup/collector/segment_checkpoint"
    require "holdup/collector/pair_delta"
    require "holdup/collector/slot_delta"
    require "holdup/collector/segment_delta"
    require "holdup/model/series"

    Probe = Holdup::Probe
    Living = Struct.new(:thread, :queue) do
      def stop = queue.close.then { thread.join }
    end

    # Threads of that name, which do nothing, or hold the GVL `ns` when they are told to end.
    def living(label, ns = 0)
      queue = Queue.new
      thread = Thread.new { queue.pop; GvlWork.hold(ns) if ns.positive? }
      Probe.label(thread, label)
      Living.new(thread, queue)
    end

    def tick = Probe.tick([])
    def snapshot(path) = Holdup::Segment::Reader.open(path, &:snapshot)
    def labels = Probe.accounts.keys

    # The whole of what the probe knows and the segment has, in nanoseconds that ran.
    def running(path)
      snapshot(path).slots.compact.select(&:account?).sum { |slot| slot.histogram(:running).sum }
    end

    # A collector of one segment: reads it when told to, and adds up what it gets by label.
    class Carrying
      Entry = Struct.new(:path, :pid, :name, :alive) do
        def read(**) = Holdup::Segment::Reader.open(path) { |reader| yield reader }
        def dead?(_header) = false
      end
      class Sums
        attr_reader :running, :caused
        def initialize = (@running, @caused = Hash.new(0), Hash.new(0))
        def add(change, _source)
          return unless change.series.kind == :account
          dump = change.histograms[Holdup::Segment::Layout::HISTOGRAMS.index(:running)]
          @running[change.series.name] += dump.empty? ? 0 : dump.unpack("Cw2").last
          @caused[change.series.name] += change.sums[Holdup::Segment::Layout::SUMS.index(:caused_ns)]
        end
        def add_handoff(*) = nil
        def add_pair(*) = nil
      end
      Taking = Class.new { def add(*) = nil }
      Skipped = Class.new do
        def guard(*) = yield
        def add_lasting(*args, **) = abort("skipped: \#{args}")
      end

      attr_reader :sums

      def initialize(path)
        @entry = Entry.new(path, Process.pid, File.basename(path), true)
        @sums = Sums.new
      end

      # @param stored [Boolean] whether the checkpoint goes through a store
      def call(stored: false)
        delta = Holdup::Collector::SegmentDelta.new(builder: @sums, now_ns: Time.now.to_i * 1_000_000_000,
          settings: {}, unit_sampler: Taking.new, skipped: Skipped.new)
        @known = delta.call(@entry, stored ? again(@known) : @known) { nil }
      end

      def again(known)
        codec = Holdup::Collector::SegmentCheckpoint::Codec
        known && codec.load(codec.dump_head(known), codec.dump_units(known))
      end
    end

    Probe.enable
  RUBY

  def setup
    super
    @dir = Dir.mktmpdir("holdup", "/dev/shm")
    @path = File.join(@dir, "accounts")
  end

  def teardown = FileUtils.rm_rf(@dir)

  def test_a_thread_that_comes_after_all_accounts_were_taken_has_its_name
    output = run_script(<<~RUBY)
      200.times { |i| living("thread:job \#{i}").tap { tick }.stop }
      tick
      indexer = living("thread:indexer", 1_000_000)
      tick
      indexer.stop
      tick
      puts labels.include?("thread:indexer"), Probe.sizes[:accounts], snapshot(path).counters[:unaccounted]
      puts snapshot(path).slots.compact.count(&:account?)
    RUBY
    assert_equal ["true", (MOST + 2).to_s, "0"], output.split.first(3)
    assert_operator output.split.last.to_i, :<=, MOST + 2
  end

  def test_living_threads_keep_their_names_and_further_ones_share_an_account_until_one_ends
    assert_equal ["8", "thread:late 0", "true"], run_script(<<~RUBY).lines(chomp: true)
      many = Array.new(#{MOST - 1}) { |i| living("thread:name \#{i}") } # and "main"
      Probe.label(Thread.main, "main")
      late = Array.new(8) { |i| living("thread:late \#{i}", 1_000_000) }
      tick
      puts snapshot(path).counters[:unaccounted]
      many.first.stop
      tick
      late.each_with_index { |one, i| Probe.label(one.thread, "thread:late \#{i}") } # as at the next tick
      late.each(&:stop)
      tick
      puts labels.grep(/late/), (1..#{MOST - 2}).all? { |i| many[i].thread.alive? }
      many.drop(1).each(&:stop)
    RUBY
  end

  def test_the_account_that_is_without_threads_for_longest_is_used_again
    assert_equal ["false true"], run_script(<<~RUBY).lines(chomp: true)
      Probe.label(Thread.main, "main")
      #{MOST - 1}.times do |i|
        one = living("thread:name \#{i}", 100_000)
        one.stop
        tick
      end
      again = living("thread:name 0", 100_000)
      again.stop
      tick
      living("thread:other", 100_000).stop
      tick
      puts [labels.include?("thread:name 1"), labels.include?("thread:name 0")].join(" ")
    RUBY
  end

  # Whenever the collector comes, and whether its checkpoint has been in a store meanwhile.
  def test_every_nanosecond_counts_once_however_often_slots_get_other_names
    [1, 3, 7, 1_000].each do |every|
      line = run_script(<<~RUBY).lines.last
        carrying = Carrying.new(path)
        400.times do |i|
          living("thread:job \#{i}", 20_000).stop
          tick if i % 2 == 0
          carrying.call(stored: i.even?) if i % #{every} == #{every - 1}
          tick if i % 5 == 0
        end
        last = living("thread:last", 3_000_000)
        tick
        last.stop
        2.times { tick }
        carrying.call
        sums = carrying.sums.running
        puts [running(path), sums.values.sum, sums.fetch("thread:last"), sums.keys.size].join(" ")
      RUBY
      FileUtils.rm_f(@path)
      whole, carried, last, = line.split.map(&:to_i)
      assert_equal whole, carried, "the collector came after each #{every} threads"
      assert_operator last, :>=, 2_900_000
    end
  end

  def test_what_ended_threads_had_is_one_account
    ended, unknown = run_script(<<~RUBY).split.map(&:to_i)
      carrying = Carrying.new(path)
      150.times do |i|
        one = living("thread:job \#{i}", 100_000)
        tick
        one.stop
        tick
      end
      carrying.call
      sums = carrying.sums.running
      jobs = sums.keys.grep(/job/).map { |label| label[/\\d+/].to_i }
      puts sums.fetch(Holdup::Segment::Layout::ENDED_THREADS), jobs.min
      abort "lost" unless labels.include?(Holdup::Segment::Layout::ENDED_THREADS)
    RUBY
    assert_operator ended, :>=, (150 - MOST) * 90_000
    assert_operator unknown, :>=, 150 - MOST
  end

  def test_no_counter_of_a_slot_ever_falls
    assert_equal "0", run_script(<<~RUBY).chomp
      before = []
      fallen = 0
      150.times do |i|
        living("thread:job \#{i}", 50_000).stop
        tick
        slots = snapshot(path).slots
        slots.each_with_index do |slot, index|
          numbers = [*slot.sums, *slot.histograms.map(&:sum)]
          fallen += before[index].zip(numbers).count { |earlier, now| now < earlier } if before[index]
          before[index] = numbers
        end
      end
      puts fallen
    RUBY
  end

  # Ruby writes such a slot as C does: the oracle.
  def test_a_slot_says_what_earlier_names_had
    generation, name, former = run_script(<<~RUBY).lines(chomp: true)
      Probe.label(Thread.main, "main")
      #{MOST}.times do |i|
        one = living("thread:name \#{i}", 100_000)
        tick
        one.stop
        tick
      end
      Holdup::Segment::Reader.open(path) do |reader|
        slots = Array.new(reader.header.series_count) { |index| reader.slot_bytes(index).dup }
        bytes = slots.find { |slot| Holdup::Segment::AccountSlot.generation(slot).positive? }
        puts Holdup::Segment::AccountSlot.generation(bytes), Holdup::Segment::Slot.parse(bytes).series.name
        puts Holdup::Segment::Slot.parse(Holdup::Segment::AccountSlot.former(bytes)).then { |slot|
          [slot.series.name, slot.histogram(:running).sum, slot.count].join(" ")
        }
      end
    RUBY
    assert_equal %w[1 61], [generation, name[/\d+/]]
    assert_match(/\A#{Regexp.escape(Holdup::Segment::Layout::ENDED_THREADS)} \d{5,} 0\z/o, former)
  end

  # A second segment of the same process has what happened since the first: much, so that what a busy machine
  # adds to the second is little.
  def test_a_second_segment_begins_at_zero
    first, second = run_script(<<~RUBY).lines.map { |line| line.split.map(&:to_i) }
      3.times { living("thread:worker", 60_000_000).tap { tick }.stop }
      2.times { Thread.new { GvlWork.hold(3_000_000) } }.then { GvlWork.hold(3_000_000) }
      sleep 0.01
      tick
      counters = %i[running_ns handoff_ns stalled_ns caused_ns acquisitions]
      ran = ->(file) { [running(file), *snapshot(file).counters.values_at(*counters)] }
      puts ran.call(path).join(" ")
      Probe.close_segment
      Probe.disable
      Probe.open_segment(path + "-2", 50, 64, nil, 0)
      Probe.enable
      tick
      puts ran.call(path + "-2").join(" ")
    RUBY
    first.zip(second).each_with_index do |(was, is), index|
      assert_operator is, :<, was / 2 + 1, "number #{index}"
    end
  end

  private

  def run_script(script)
    fresh_ruby(<<~RUBY, gems: true)
      path = #{@path.dump}
      #{SCRIPT}
      Probe.open_segment(path, 50, 64, nil, 0)
      #{script}
    RUBY
  end
end
