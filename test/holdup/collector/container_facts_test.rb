# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "holdup/loader"

class Holdup::Collector
  class ContainerFactsTest < Minitest::Test
    STATUS = {"proc/7/status" => "Cpus_allowed_list:\t0-3\n"}.freeze

    def facts(files)
      Dir.mktmpdir do |root|
        files.each do |path, text|
          FileUtils.mkdir_p(File.dirname(File.join(root, path)))
          File.write(File.join(root, path), text)
        end
        return ContainerFacts.new(proc: File.join(root, "proc"), root: File.join(root, "cgroup")).call(7)
      end
    end

    def test_reads_control_groups_of_version_2
      read = facts(STATUS.merge(
        "proc/7/cgroup" => "0::/app\n",
        "cgroup/app/cpu.max" => "200000 100000\n",
        "cgroup/app/cpu.stat" =>
          "usage_usec 1500\nuser_usec 1\nnr_periods 9\nnr_throttled 4\nthrottled_usec 20\n",
        "cgroup/app/memory.current" => "1000\n",
        "cgroup/app/memory.max" => "max\n",
        "cgroup/memory.max" => "5000\n",
        "cgroup/app/memory.stat" => "anon 500\ninactive_file 300\n"
      ))
      expected = {cpus: 4, vcpus: 2.0, cpu_ns: 1_500_000, periods: 9, throttled_periods: 4,
                  throttled_ns: 20_000, memory_bytes: 1000, reclaimable_bytes: 300, memory_limit_bytes: 5000}
      assert_equal expected, read
    end

    def test_reads_throttling_of_the_group_with_the_quota
      read = facts(STATUS.merge(
        "proc/7/cgroup" => "0::/pod/app\n",
        "cgroup/pod/cpu.max" => "150000 100000\n",
        "cgroup/pod/cpu.stat" => "usage_usec 9\nnr_throttled 8\n",
        "cgroup/pod/app/cpu.stat" => "usage_usec 5\nnr_throttled 0\n"
      ))
      assert_equal({vcpus: 1.5, throttled_periods: 8, cpu_ns: 9000},
        read.slice(:vcpus, :throttled_periods, :cpu_ns))
    end

    def test_reads_control_groups_of_version_1
      read = facts(STATUS.merge(
        "proc/7/cgroup" => "4:memory:/\n3:cpu,cpuacct:/\n0::/\n",
        "cgroup/cpu/cpu.cfs_quota_us" => "50000\n",
        "cgroup/cpu/cpu.cfs_period_us" => "100000\n",
        "cgroup/cpu/cpu.stat" => "nr_periods 5\nnr_throttled 2\nthrottled_time 777\n",
        "cgroup/cpuacct/cpuacct.usage" => "123456\n",
        "cgroup/memory/memory.usage_in_bytes" => "1000\n",
        "cgroup/memory/memory.limit_in_bytes" => "9223372036854771712\n",
        "cgroup/memory/memory.stat" => "inactive_file 1\ntotal_inactive_file 200\n"
      ))
      expected = {cpus: 4, vcpus: 0.5, cpu_ns: 123_456, periods: 5, throttled_periods: 2, throttled_ns: 777,
                  memory_bytes: 1000, reclaimable_bytes: 200}
      assert_equal expected, read
    end

    # As on macOS.
    def test_where_there_is_nothing_there_are_the_cpus_of_the_machine
      assert_equal({cpus: Etc.nprocessors, vcpus: Etc.nprocessors}, facts({}))
    end

    def test_of_this_machine
      read = ContainerFacts.new.call(Process.pid)
      assert_operator read.fetch(:vcpus), :>, 0
      assert_operator read.fetch(:vcpus), :<=, read.fetch(:cpus)
    end
  end
end
