# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# The experiment with a real Sidekiq and a real Redis. How long jobs take on a machine that others use says
# little; what they took against the time that they held the GVL is exact.
class LabSidekiqVcpuTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  COMMAND = ["lab", "sidekiq-vcpu", "--seconds", "0.5", "--repeat", "1"].freeze
  # Of one process: others may run experiments too.
  SHARED_MEMORY = "/dev/shm/holdup-lab-*-%d-*"

  # Whose command line or environment has our folder in it.
  def processes_of_ours
    Dir["/proc/[0-9]*"].select { |path| ours?(path) && !path.end_with?("/#{Process.pid}") }
  end

  def ours?(path)
    named = %w[cmdline environ].any? { |file| File.binread("#{path}/#{file}").include?(folder) }
    named && File.read("#{path}/stat").match?(/\) [^Z]/)
  rescue SystemCallError # it has just ended
    false
  end

  def env
    {"TMPDIR" => folder, "HOLDUP_ENABLED" => "false", "REDIS_PROVIDER" => "NOWHERE"}
  end

  def test_the_four_rows_on_a_redis_of_the_user_which_is_left_as_it_was
    json = RedisServer.run do |redis|
      redis.call("LPUSH", "queue:default", "{}")
      said = holdup_process(*COMMAND, "--json", "--redis-url", redis.url, env:)
      assert_equal 0, said.status, said.err
      assert_equal ":1", redis.call("LLEN", "queue:default")
      assert_equal ":0", redis.call("EXISTS", "queues")
      JSON.parse(said.out)
    end
    rows = json["experiments"].to_h { |row| [row["name"], row] }
    assert_theory(rows)
    assert_who_stalled(rows)
    assert_ceiling(json, rows)
    assert_empty Dir.children(folder)
    assert_empty processes_of_ours
  end

  # Against the time for which the very same jobs held the GVL: on a machine that others use, how much they
  # get done in that, and how long they have to wait for a CPU with the GVL in their hands, differs from row
  # to row.
  def assert_theory(rows)
    {"alone" => 1, "threads" => 2, "serial" => 1, "processes" => 1}.each do |name, each|
      rows[name]["units"].each { |unit| assert_in_delta each, times(unit), 0.2 * each, rows[name].inspect }
    end
    threads, alone = %w[threads alone].map { |name|
      rows[name]["units"].sum { |unit| times(unit) } / rows[name]["units"].size
    }
    assert_operator threads, :>, alone * 1.5
    first, second = rows["serial"]["units"]
    assert_operator second["queued_ns"], :>=, first["wall_ns"] * 0.9
  end

  # How often the time for which it held the GVL a job took.
  def times(unit) = unit["wall_ns"].fdiv(unit["running_ns"])

  # The GVL is counted exactly, whatever else the machine does.
  def assert_who_stalled(rows)
    rows["threads"]["units"].each { |unit|
      assert_in_delta 1, unit["stalled_ns"].fdiv(unit["running_ns"]), 0.3, unit.inspect
    }
    assert_operator rows["threads"]["stall_caused_by_other_job"], :>, 0.9
    %w[alone serial].each { |name|
      rows[name]["units"].each { |unit| assert_operator unit["stalled_ns"], :<, unit["wall_ns"] * 0.1 }
    }
  end

  def assert_ceiling(json, rows)
    vcpus = json["vcpus"]
    assert_in_delta 1.0 / vcpus, json["ceiling"]["low"], 0.02
    %w[alone threads serial].each { |name| assert_operator rows[name]["cores"], :<, 1.1 }
    assert_match(/2 vCPUs, 1 process: CPU can never pass 50-55 %/, json["headline"]) if vcpus == 2
    threads, processes = %w[threads processes].map { |name| held_at_once(rows[name]) }
    assert_operator threads, :<=, 1.01
    assert_operator processes, :>, threads
  end

  # GVLs on average: of one process there is one.
  def held_at_once(row)
    row["units"].sum { |unit| unit["running_ns"] }.fdiv(row["in_all_ns"])
  end

  def test_ctrl_c_leaves_nothing_behind
    _, out, err, thread = Open3.popen3(env, RbConfig.ruby, CommandLine::EXE, *COMMAND)
    assert_includes err.gets, "alone"
    wait_until { processes_of_ours.size > 2 }
    wait_until(every: 0.05) { thread.join(0) || impatient(thread.pid) }
    assert_equal 130, as_a_shell_tells(thread.value)
    assert_equal "", out.read
    assert_empty processes_of_ours
    assert_empty Dir.children(folder)
    assert_empty Dir[format(SHARED_MEMORY, thread.pid)]
  end

  # An interrupt that comes when Ruby has already let go of its handlers ends it by the signal.
  def as_a_shell_tells(status)
    status.exitstatus || 128 + status.termsig
  end

  def impatient(pid)
    !Process.kill(:INT, pid)
  rescue Errno::ESRCH # it has just ended
    false
  end
end
