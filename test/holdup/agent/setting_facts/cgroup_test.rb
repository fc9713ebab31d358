# frozen_string_literal: true

require "test_helper"
require "holdup/agent/setting_facts"

class Holdup::SettingFacts::CgroupTest < Minitest::Test
  include TemporaryFolder

  def test_the_groups_around_it_follow_its_own
    groups = cgroup("0::/pod/app", "pod/app/cpu.max" => "max 100000")
    assert_equal %w[pod/app pod] + [""], relative(groups.folders("cpu"))
  end

  # In a container the kernel names a path of the host.
  def test_groups_that_do_not_exist_are_left_out
    assert_equal [""], relative(cgroup("0::/docker/abc", "cpu.max" => "max 100000").folders("cpu"))
  end

  def test_a_path_outside_of_the_tree_stays_inside
    groups = cgroup("0::/../../pod", "pod/cpu.max" => "max 100000")
    assert_equal ["pod", ""], relative(groups.folders("cpu"))
  end

  def test_a_path_may_have_colons
    assert_equal ["pod:1/a:b", "pod:1", ""],
      relative(cgroup("0::/pod:1/a:b", "pod:1/a:b/cpu.max" => "").folders("cpu"))
  end

  def test_a_controller_of_version_1_has_a_folder_of_its_own
    groups = cgroup("4:memory:/app\n0::/other", "memory/app/x" => "", "other/x" => "")
    assert_equal ["memory/app", "memory"], relative(groups.folders("memory"))
  end

  def test_a_controller_that_version_1_does_not_mount_is_looked_up_in_version_2
    groups = cgroup("4:memory:/app\n0::/other", "other/x" => "")
    assert_equal ["other", ""], relative(groups.folders("memory"))
  end

  def test_cpu_time_is_found_where_controllers_share_a_hierarchy
    groups = cgroup("3:cpuacct,cpu:/app", "cpuacct,cpu/app/cpuacct.usage" => "7")
    assert_equal ["cpuacct,cpu/app", "cpuacct,cpu"], relative(groups.folders("cpuacct"))
  end

  def test_nothing_mounted_has_no_folders
    groups = Holdup::SettingFacts::Cgroup.new(proc: folder, root: File.join(folder, "missing"))
    assert_empty groups.folders("cpu")
    assert_nil groups.limit
    assert_nil groups.quota
  end

  def test_the_limit_names_the_group_with_the_tightest_quota
    groups = cgroup("0::/pod/app", "pod/app/cpu.max" => "400000 100000", "pod/cpu.max" => "250000 100000",
      "cpu.max" => "max 100000")
    assert_equal ["pod"], relative([groups.limit.folder])
    assert_in_delta 2.5, groups.limit.vcpus
    assert_in_delta 2.5, groups.quota
  end

  def test_quotas_with_another_period
    assert_in_delta 0.25, cgroup("0::/", "cpu.max" => "5000 20000\n").quota
  end

  def test_ignores_a_quota_that_is_not_a_positive_number
    ["max 100000", "", "garbage", "100000", "100000 0", "0 100000", "-1 100000"].each do |text|
      assert_nil cgroup("0::/", "cpu.max" => text).quota, text.inspect
    end
  end

  def test_version_1_needs_quota_and_period
    period = {"cpu/cpu.cfs_period_us" => "100000\n"}
    quota = {"cpu/cpu.cfs_quota_us" => "150000\n"}
    assert_in_delta 1.5, cgroup("3:cpu:/", **period, **quota).quota
    remove_groups
    assert_nil cgroup("3:cpu:/", **period).quota
    remove_groups
    assert_nil cgroup("3:cpu:/", **quota).quota
  end

  def test_reads_another_process
    write("proc/77/cgroup", "0::/app\n")
    write("groups/app/cpu.max", "50000 100000")
    other = Holdup::SettingFacts::Cgroup.new(proc: File.join(folder, "proc"), root: root, pid: 77)
    assert_in_delta 0.5, other.quota
  end

  def test_a_folder_or_a_missing_file_reads_as_nothing
    groups = cgroup("0::/", "app/x" => "text")
    assert_equal "text", groups.read(File.join(root, "app/x"))
    assert_nil groups.read(File.join(root, "app"))
    assert_nil groups.read(File.join(root, "missing"))
  end

  private

  def root = File.join(folder, "groups")

  # @param lines [String] of /proc/self/cgroup
  def cgroup(lines, files)
    FileUtils.mkdir_p(root)
    write("proc/self/cgroup", "#{lines}\n")
    files.each { |path, text| write("groups/#{path}", text) }
    Holdup::SettingFacts::Cgroup.new(proc: File.join(folder, "proc"), root:)
  end

  def write(path, text)
    full = File.join(folder, path)
    FileUtils.mkdir_p(File.dirname(full))
    File.write(full, text)
  end

  def remove_groups = FileUtils.rm_rf(root)

  def relative(folders)
    folders.map { |found| found.delete_prefix(root).gsub(%r{\A/|/\z}, "") }
  end
end
