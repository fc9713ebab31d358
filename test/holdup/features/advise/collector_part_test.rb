# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::CollectorPartTest < Minitest::Test
  NOW_S = 1_700_000_000
  Keeper = Holdup::Advise::CollectorPart

  def setup
    @clock = HandClock.new(realtime_ns: NOW_S * 1_000_000_000)
    def @clock.realtime_s = realtime_ns / 1_000_000_000
    @log = CollectedLog.new
    @keepers = []
  end

  def teardown = @keepers.each(&:close)

  # @param script [String] of Ruby, instead of `holdup advise --keep`
  def keeper(script = "", host: "web-1", command: [RbConfig.ruby, "--disable=gems", "-e", script, "--"])
    made = Keeper.new(store: "postgres://u:secret@db/holdup", host:, log: @log, clock: @clock, command:)
    made.tap { @keepers << made }
  end

  def advance(seconds) = @clock.realtime_ns += seconds * 1_000_000_000

  def part(keeper, name) = keeper.instance_variable_get(:@recurring).instance_variable_get(name)

  def due_s(keeper) = part(keeper, :@due_s)

  def child(keeper) = part(keeper, :@child).pid

  # Past its own moment, which the name of the host decides.
  def begin_with(keeper)
    advance(due_s(keeper) - @clock.realtime_s)
    keeper.call
  end

  def run_of(keeper)
    begin_with(keeper)
    wait_until { keeper.call || child(keeper).nil? }
  end

  def test_each_host_begins_at_another_moment
    starts = %w[web-1 web-2 web-3].map { |host| due_s(keeper(host:)) }
    assert_equal 3, starts.uniq.size
    assert_empty starts.reject { |start| (NOW_S...NOW_S + Keeper::SPREAD_S).cover?(start) }
    kept = keeper("puts 1").tap(&:call)
    assert_nil child(kept), "its moment has not come"
  end

  def test_the_child_has_the_store_in_its_environment
    file = File.join(Dir.mktmpdir, "store")
    run_of(keeper("File.write(#{file.dump}, ENV['HOLDUP_STORE']); puts '{}'"))
    assert_equal "postgres://u:secret@db/holdup", File.read(file)
    assert_empty @log.lines
  ensure
    FileUtils.rm_rf(File.dirname(file))
  end

  def test_runs_again_when_the_child_says_that_something_is_due
    kept = keeper("puts '{\"next_s\": #{NOW_S + 5000}}'")
    spread_s = due_s(kept) - NOW_S
    run_of(kept)
    assert_equal NOW_S + 5000 + 2 * spread_s, due_s(kept) + spread_s
    advance(4000)
    kept.call
    assert_nil child(kept)
    begin_with(kept)
    refute_nil child(kept)
  end

  def test_much_work_is_spread_over_much_time
    busy = "nil while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 1.5"
    kept = keeper("#{busy}; puts '{\"next_s\": 0}'")
    run_of(kept)
    assert_operator due_s(kept) - @clock.realtime_s, :>=, 1.5 / Keeper::SHARE
  end

  def test_says_once_what_fails_and_goes_on
    kept = keeper("exit(3)")
    3.times { run_of(kept) }
    assert_equal 1, @log.lines.size
    said = /no advice is kept ready: `holdup advise --keep` gave no answer \(.*exit 3\)/
    assert_match(said, @log.lines.first)
  end

  def test_ends_a_child_that_hangs
    kept = keeper("sleep")
    begin_with(kept)
    pid = child(kept)
    advance(Holdup::Collector::ChildCommand::LONGEST_S + 1)
    kept.call
    assert_nil child(kept)
    assert_raises(Errno::ESRCH) { Process.kill(0, pid) }
  end

  def test_what_can_not_be_started_is_logged
    begin_with(keeper(command: ["/nonexistent/ruby"]))
    assert_match(/no advice is kept ready: it could not be started/, @log.lines.first)
  end
end
