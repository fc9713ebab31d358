# frozen_string_literal: true

require "test_helper"
require "etc"
require "fileutils"
require "holdup/agent/setting_facts"

class Holdup::SettingFacts::CpuQuotaTest < Minitest::Test
  def setup = @folder = Dir.mktmpdir

  def teardown = FileUtils.rm_rf(@folder)

  def write(path, text)
    FileUtils.mkdir_p(File.dirname(File.join(@folder, path)))
    File.write(File.join(@folder, path), text)
  end

  # Of the same object: a process asks it at each tick.
  def figures
    @quota ||= Holdup::SettingFacts::CpuQuota.new(proc: File.join(@folder, "proc"),
      cgroup: File.join(@folder, "cgroup"))
    @quota.to_h.values_at("cpus", "vcpus")
  end

  def machine(files)
    Dir.mktmpdir do |root|
      files.each do |path, text|
        FileUtils.mkdir_p(File.dirname(File.join(root, path)))
        File.write(File.join(root, path), text)
      end
      return Holdup::SettingFacts::CpuQuota.new(proc: File.join(root, "proc"),
        cgroup: File.join(root, "cgroup")).to_h
    end
  end

  def test_counts_the_cpus_it_may_use
    assert_equal 5, machine("proc/self/status" => "Name:\truby\nCpus_allowed_list:\t0-3,8\n")["cpus"]
  end

  def test_a_quota_below_the_cpus_is_what_there_is
    status = {"proc/self/status" => "Cpus_allowed_list:\t0-7\n"}
    assert_in_delta 1.5, machine(**status, "cgroup/cpu.max" => "150000 100000\n")["vcpus"]
    assert_equal 8, machine(**status, "cgroup/cpu.max" => "1600000 100000\n")["vcpus"]
    assert_equal 8, machine(**status, "cgroup/cpu.max" => "max 100000\n")["vcpus"]
    assert_equal 8, machine(status)["vcpus"]
  end

  def test_the_quota_of_the_own_group
    files = {"proc/self/status" => "Cpus_allowed_list:\t0-7\n", "proc/self/cgroup" => "0::/app.slice\n",
             "cgroup/app.slice/cpu.max" => "200000 100000\n", "cgroup/cpu.max" => "max 100000\n"}
    assert_in_delta 2.0, machine(files)["vcpus"]
  end

  def test_the_tightest_quota_around_it
    files = {"proc/self/status" => "Cpus_allowed_list:\t0-7\n", "proc/self/cgroup" => "0::/pod/app\n",
             "cgroup/pod/app/cpu.max" => "400000 100000\n", "cgroup/pod/cpu.max" => "250000 100000\n"}
    assert_in_delta 2.5, machine(files)["vcpus"]
  end

  def test_control_groups_of_version_1
    status = {"proc/self/status" => "Cpus_allowed_list:\t0-7\n",
              "proc/self/cgroup" => "3:cpu,cpuacct:/docker/abc\n0::/\n"}
    inside = {"cgroup/cpu,cpuacct/cpu.cfs_quota_us" => "50000\n",
              "cgroup/cpu,cpuacct/cpu.cfs_period_us" => "100000\n"}
    assert_in_delta 0.5, machine({**status, **inside})["vcpus"], 0.001,
      "its path is not there: the tree is its own"
    outside = {"cgroup/cpu/docker/abc/cpu.cfs_quota_us" => "300000\n",
               "cgroup/cpu/docker/abc/cpu.cfs_period_us" => "100000\n"}
    assert_in_delta 3.0, machine({**status, **outside})["vcpus"]
    none = {"cgroup/cpu/cpu.cfs_quota_us" => "-1\n", "cgroup/cpu/cpu.cfs_period_us" => "100000\n"}
    assert_equal 8, machine({**status, **none})["vcpus"]
  end

  def test_both_versions_at_once
    files = {"proc/self/status" => "Cpus_allowed_list:\t0-7\n", "proc/self/cgroup" => "5:pids:/\n0::/app\n",
             "cgroup/unified/app/cpu.max" => "150000 100000\n", "cgroup/pids/x" => ""}
    assert_in_delta 1.5, machine(files)["vcpus"]
  end

  # Both change while a process lives: the next tick sees them.
  def test_follows_limits_that_change
    write("proc/self/status", "Cpus_allowed_list:\t0-7\n")
    write("proc/self/cgroup", "0::/app\n")
    write("cgroup/app/cpu.max", "max 100000\n")
    assert_equal [8, 8], figures
    write("cgroup/app/cpu.max", "150000 100000\n")
    assert_equal [8, 1.5], figures
    write("proc/self/status", "Cpus_allowed_list:\t3\n")
    assert_equal [1, 1], figures
    write("proc/self/status", "Cpus_allowed_list:\t0-7\n")
    write("cgroup/cpu.max", "50000 100000\n")
    assert_equal [8, 0.5], figures, "a group around it got a quota"
    File.unlink(File.join(@folder, "cgroup/cpu.max"))
    File.unlink(File.join(@folder, "cgroup/app/cpu.max"))
    assert_equal [8, 8], figures
  end

  def test_follows_quotas_of_version_1
    write("proc/self/status", "Cpus_allowed_list:\t0-7\n")
    write("proc/self/cgroup", "3:cpu,cpuacct:/app\n")
    write("cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "-1\n")
    write("cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n")
    assert_equal [8, 8], figures
    write("cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "300000\n")
    assert_equal [8, 3], figures
  end

  # systemd may move a process, and orchestrators do.
  def test_follows_the_process_into_another_group
    write("proc/self/status", "Cpus_allowed_list:\t0-7\n")
    write("proc/self/cgroup", "0::/one\n")
    write("cgroup/one/cpu.max", "100000 100000\n")
    write("cgroup/two/cpu.max", "200000 100000\n")
    assert_equal [8, 1], figures
    write("proc/self/cgroup", "0::/two\n")
    assert_equal [8, 2], figures
  end

  def test_of_a_process_that_has_ended_all_is_unknown
    assert_equal({"cpus" => nil, "vcpus" => nil}, machine("proc/self" => ""))
  end

  # As on macOS.
  def test_without_proc_there_are_the_cpus_of_the_machine
    cpus = Etc.nprocessors
    assert_equal({"cpus" => cpus, "vcpus" => cpus}, machine({}))
  end
end
