# frozen_string_literal: true

require "test_helper"
require "json"
require "support/calls_script"

# Who ended the waits for locks, from the application to the report, against what the threads themselves know:
# whoever had the lock before one got it has ended its wait.
class LockPairsTest < Minitest::Test
  include CallsScript

  # Of a victim's waits.
  POINTS = 0.02
  CARTS = "CartsController#update"
  # Seconds for which each keeps the lock, with how many threads, how often.
  PLAN = {CARTS => [0.012, 3, 14], "PriceSync" => [0.03, 1, 12]}.freeze

  # Prints what each thread knows: name, when it asked for the lock and when it got it.
  WORK = <<~RUBY
    require "json"
    require "monitor"
    require "holdup"
    Holdup.start
    LOG = Queue.new
    START = Queue.new
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def keep(name, seconds)
      asked = now
      LOCK.synchronize do
        LOG << [name, asked, now]
        sleep(seconds)
      end
    end
    threads = PLAN.flat_map do |name, (seconds, count, times)|
      Array.new(count) do
        Thread.new { START.pop || times.times { Holdup.measure(name) { keep(name, seconds) } } }
      end
    end
    START.close
    threads.each(&:join)
    Holdup.stop
    puts JSON.generate(Array.new(LOG.size) { LOG.pop })
  RUBY

  def test_shares_at_a_mutex = assert_shares("Mutex")

  def test_shares_at_a_monitor = assert_shares("Monitor")

  private

  def assert_shares(lock)
    expected, found = wait_until { compared(lock) }
    found.each do |name, share|
      assert_includes (expected.fetch(name, 0.0) - POINTS)..(expected.fetch(name, 0.0) + POINTS), share, name
    end
    assert_match(/\A#{CARTS} waits \S+ ms for a lock at shop.rb:\d+ \(#{lock}\); \d+ % of it was ended by /,
      @sentence)
  end

  # A thread that has no CPU for a while after it has asked, or was overtaken, knows of another time than the
  # one it waited.
  # @return [Array<Hash{String => Float}>, nil] shares by who ended it, of what threads know and of what was
  #   measured; nil where these are not of the same time
  def compared(lock)
    holds = run_shop(lock)
    summary = stored
    pairs = summary.lock_pairs.select { |pair| pair.victim.name == CARTS }
    waited = summary.lock_waits.names.find { |line| line.name == CARTS }
    assert_equal waited.lock_ns, pairs.sum(&:ns), "parts and unknown add up to the waits"
    @sentence = Holdup::View::Headline.new(summary, words: Holdup::View::Words.new("en")).lock_wait
    expected = ended(holds)
    all_ns = expected.values.sum
    return if (all_ns - waited.lock_ns).abs > POINTS * waited.lock_ns || @sentence.nil?
    shares = pairs.to_h { |pair| [pair.causer.name, pair.share] }
    [expected.transform_values { |ns| ns.fdiv(all_ns) }, shares]
  end

  # @return [Array<Array>] name, when it asked for the lock, and when it got it
  def run_shop(lock)
    %w[segments store.sqlite3].each { |made| FileUtils.rm_rf(File.join(@root, made)) }
    path = File.join(@root, "shop.rb")
    File.write(path, "PLAN = #{PLAN}\nLOCK = #{lock}.new\n#{WORK}")
    JSON.parse(script("load #{path.dump}"))
  end

  # @return [Holdup::Analysis::Summary] of that name, with all parts
  def stored
    collect
    store = Holdup::Store.open(environment["HOLDUP_STORE"])
    now_s = Time.now.to_i
    Holdup::Queries::LoadSummary.call(store, from_s: now_s - 600, to_s: now_s + 120,
      filter: Holdup::Analysis::UnitFilter.new(name: CARTS))
  ensure
    store&.close
  end

  # @param holds [Array<Array>] name, asked, got
  def ended(holds)
    ordered = holds.sort_by(&:last)
    ordered.each_cons(2).with_object(Hash.new(0)) do |((before, _, _), (name, asked, got)), sums|
      sums[before] += got - asked if name == CARTS
    end
  end
end
