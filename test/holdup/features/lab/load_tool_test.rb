# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/fake_program"

class Holdup::Lab::LoadToolTest < Minitest::Test
  include FakeProgram
  include TemporaryFolder

  LoadTool = Holdup::Lab::LoadTool

  # @return [String] a folder of its own with these programs
  def installed(*names)
    bin = File.join(folder, names.join("-"))
    FileUtils.mkdir_p(bin)
    names.each { |name| File.write(File.join(bin, name), "", perm: 0o755) }
    bin
  end

  def test_finds_a_program_where_it_can_be_run
    bin = installed("wrk")
    assert_equal "#{bin}/wrk", LoadTool::Wrk.which("/nonexistent:#{bin}")
    File.chmod(0o644, "#{bin}/wrk")
    assert_nil LoadTool::Wrk.which(bin) unless Process.uid.zero? && File.executable?("#{bin}/wrk")
    FileUtils.mkdir_p("#{folder}/other/hey")
    assert_nil LoadTool::Hey.which("#{folder}/other"), "a folder of that name"
  end

  def test_of_several_the_preferred_one_that_waits_for_its_answers
    assert_equal "wrk", LoadTool.closed(installed("wrk", "hey"))
    assert_equal "hey", LoadTool.closed(installed("hey", "oha"))
    assert_nil LoadTool.closed(installed("oha")), "it sends at a rate"
  end

  def test_says_how_to_install_what_is_missing
    error = assert_raises(Holdup::UnsupportedError) { LoadTool::Oha.find("/nonexistent") }
    assert_includes error.message, "oha is not installed on this machine"
    assert_includes error.message, "cargo install oha"
  end

  def test_a_report_of_another_version_is_said
    ["", "{}", "[]", "not json"].each do |says|
      tool = LoadTool::Wrk.new(fake_program("wrk", says))
      target = Holdup::Lab::Load::Target.new("http://127.0.0.1:1")
      error = assert_raises(Holdup::Error, says) { tool.call(target, routes: [], rate: 1, seconds: 1) }
      assert_includes error.message, "what wrk reports can't be read"
    end
  end
end
