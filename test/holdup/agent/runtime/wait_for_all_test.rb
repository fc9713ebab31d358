# frozen_string_literal: true

require "test_helper"
require "tmpdir"

class Holdup::Runtime
  class WaitForAllTest < Minitest::Test
    include FreshRuby

    # Ends when its input does, as a collector.
    CHILD = "$stdin.read"
    LIB = File.expand_path("../../../../lib", __dir__)

    # The collector is a child of the application, and would go on for as long as that waits.
    def test_an_application_that_waits_for_all_its_children_does_not_wait_for_the_collector
      said = Dir.mktmpdir("holdup-wait") { |dir| fresh_ruby(<<~RUBY, prelude: "") }
        $LOAD_PATH.unshift(#{LIB.dump})
        require "holdup/agent/runtime/collector_supervisor"
        require "holdup/agent/runtime/wait_for_all"
        log = Class.new { def warn(message) = puts(message) }.new
        supervisor = Holdup::Runtime::CollectorSupervisor.new(dir: #{dir.dump}, store: nil, log:,
          command: [RbConfig.ruby, "--disable=gems", "-e", #{CHILD.dump}], first_wait_s: 0.01).start
        Holdup::Runtime::WaitForAll.install(supervisor, log:)
        first = nil
        Thread.pass until first = supervisor.pid
        fork { exit!(3) }
        p Process.waitall.map { |_, status| status.exitstatus }
        Thread.pass until supervisor.pid && supervisor.pid != first
        p Process.waitall
        supervisor.stop
        p Process.waitall
      RUBY
      assert_equal "[3]\n[]\n[]\n", said
    end
  end
end
