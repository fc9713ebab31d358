# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class ParentProcessTest < Minitest::Test
    Header = Struct.new(:pid, :parent)

    def test_it_has_gone_when_it_died
      pid = Process.spawn("sleep 100")
      parent = ParentProcess.new(pid, input: nil)
      refute_predicate parent, :gone?
      Process.kill(:KILL, pid)
      Process.wait(pid)
      assert_predicate parent, :gone?
    end

    def test_it_has_gone_when_it_closed_the_pipe
      input, output = IO.pipe
      parent = ParentProcess.new(Process.pid, input:)
      refute_predicate parent, :gone?
      output.close
      assert_predicate parent, :gone?
    end

    def test_ignores_an_input_that_is_not_a_pipe
      File.open(File::NULL) { |input| refute_predicate ParentProcess.new(Process.pid, input:), :gone? }
    end

    def test_family
      parent = ParentProcess.new(Process.pid, input: nil)
      assert parent.family?(Header.new(Process.pid, 1))
      assert parent.family?(Header.new(5, Process.pid))
      refute parent.family?(Header.new(5, 6))
    end
  end
end
