# frozen_string_literal: true

require "test_helper"
require "holdup/model/audit_entry"

class Holdup::AuditEntryTest < Minitest::Test
  include TemporaryFolder

  AT_S = 1_790_000_000

  def change(**facts)
    Holdup::AuditEntry.new(at_s: AT_S, event: :turn, plan_id: "k3f9", lever: "threads", from: 5, to: 3,
      who: :experiment, **facts)
  end

  def read(line) = Holdup::AuditEntry.parse(line, source: "s", host: "h")

  def test_a_line_has_everything_but_source_and_host
    one = change(by: "deploy@web-1", why: "速い", begins: "id k3f9\nvalues 5 3\n")
    assert_equal one.with(source: "s", host: "h"), read(one.to_line)
    assert_equal Process.pid, one.pid
  end

  def test_an_entry_is_always_one_line
    line = change(why: "two\nlines\tand a tab", by: "x" * 5000).to_line
    assert_equal 1, line.lines.size
    assert_equal ["two lines and a tab", 1000], read(line).then { |one| [one.why, one.by.size] }
  end

  def test_refuses_what_is_damaged_or_unknown
    ["", "nonsense\n", change.to_line.sub("turn", "flight"), change.to_line.sub("\t5\t", "\tfive\t"),
      "\xFF\t" * 10].each { |line| assert_nil read(line), line.inspect }
    assert_raises(ArgumentError) { change(who: :nobody) }
  end

  def test_each_day_has_a_file_of_its_own
    files = Holdup::AuditEntry::AuditFiles.new(folder)
    files.append(change)
    files.append(change(at_s: AT_S + 86_400))
    files.append(change(to: 4))
    File.write(File.join(folder, "settings.log"), "")
    assert_equal %w[audit-20260921.log audit-20260922.log],
      files.paths.map { |path| File.basename(path) }
    assert_equal [3, 4], File.readlines(files.paths.first).map { |line| read(line).to }
    assert_empty Holdup::AuditEntry::AuditFiles.new("/nonexistent").paths
  end

  # By clocks that tick apart; the next turn is another change.
  def test_processes_that_changed_alike_are_one_group
    changes = [
      change(pid: 1),
      change(pid: 2, at_s: AT_S + 2),
      change(pid: 1, at_s: AT_S + 180, from: 3, to: 5),
      change(pid: 1, at_s: AT_S + 360),
      change(pid: 2, at_s: AT_S + 361)
    ]
    groups = Holdup::AuditEntry::AlikeEntries.of(changes)
    assert_equal [[1, 2], [1], [1, 2]], groups.map(&:pids)
    assert_equal [AT_S, AT_S + 180, AT_S + 360], groups.map { |group| group.first.at_s }
  end
end
