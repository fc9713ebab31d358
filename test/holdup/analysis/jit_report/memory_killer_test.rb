# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::JitReport::MemoryKillerTest < Minitest::Test
  MemoryKiller = Holdup::Analysis::JitReport::MemoryKiller
  MIB = 1 << 20
  WORKER = {"killer.name": "puma_worker_killer", "killer.server": "puma", "killer.of": "process",
            "killer.limit_bytes": 500 * MIB, server: "puma", name: "worker 0"}.freeze

  def killer(**facts)
    sample = {at_s: 0, host: "a", pid: 7, start: 1, **WORKER, **facts}.compact
    MemoryKiller.of(Holdup::Analysis::ProcessReport::SampleTrail.new([sample]))
  end

  def test_reads_the_killer_of_a_process
    found = killer("killer.units": 512)
    assert_equal ["puma_worker_killer", 500 * MIB, 512], [found.name, found.limit_bytes, found.units]
    refute_predicate found, :all?
    assert_nil found.unit_bytes
  end

  def test_without_a_killer_or_for_another_server
    assert_nil killer("killer.name": nil)
    assert_nil killer(server: "sidekiq")
    assert_nil killer(server: nil)
  end

  # Puma with a job runner in it is both servers.
  def test_a_process_of_two_servers_has_the_killers_of_both
    refute_nil killer(server: "puma+solid_queue")
    refute_nil killer(server: "solid_queue+puma")
    assert_nil killer(server: "pumas+solid_queue")
  end

  # It sums up a master and its workers, and does nothing where there is a single process.
  def test_a_killer_of_all_processes_needs_workers
    assert_predicate killer("killer.of": "all"), :all?
    assert_nil killer("killer.of": "all", name: "single")
    assert_nil killer("killer.of": "all", name: nil)
    refute_nil killer(name: "single")
  end

  def test_writes_the_setting_that_leaves_as_many_bytes
    assert_equal "ram = 140", killer.line(140 * MIB)
    assert_equal "ram = 141", killer.line(140 * MIB + 1)
    assert_equal "SIDEKIQ_MAXMEM_MB=2", killer("killer.name": "sidekiqswarm").line(MIB + 1)
    assert_nil killer("killer.name": "another").line(MIB)
  end

  def test_writes_it_in_the_unit_of_the_setting
    kilobytes = killer("killer.name": "sidekiq-worker-killer", "killer.unit_bytes": 1024)
    assert_equal "max_rss: 2048", kilobytes.line(2 * MIB)
    bytes = killer("killer.name": "unicorn-worker-killer", "killer.unit_bytes": 1)
    assert_equal "memory_limit_min = #{2 * MIB}", bytes.line(2 * MIB)
  end

  # The limit that is written is never below what was asked for, and less than a unit above.
  def test_a_written_limit_is_enough_and_no_more
    random = Random.new(1)
    100.times do
      bytes = random.rand(1..8 << 30)
      written = killer.line(bytes)[/\d+/].to_i * MIB
      assert_includes bytes...(bytes + MIB), written
    end
  end
end
