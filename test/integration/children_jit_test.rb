# frozen_string_literal: true

require "test_helper"

# A server with another JIT than YJIT in its environment. Two JITs at once end a Ruby when it starts: Holdup's
# own children must not get the server's.
class ChildrenJitTest < Minitest::Test
  # On, and never compiling: RJIT's code ends in a segmentation fault now and then, without Holdup as well.
  OTHER_JITS = %w[--zjit-call-threshold=1000000000 --rjit-call-threshold=1000000000].freeze

  def other_jit
    OTHER_JITS.find { |option| system(RbConfig.ruby, option, "-e", "", err: File::NULL) } or
      skip "this Ruby has no second JIT"
  end

  def test_the_collector_runs_beside_it
    env = {"RUBYOPT" => "#{ENV["RUBYOPT"]} #{other_jit}", "HOLDUP_COLLECTOR" => "process"}
    ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "plain", env:) do |app|
      app.get("/orders/1")
      wait_until { app.stored.include?("GET /orders") }
      refute_match(/the collector ended|enabled at the same time/, app.log)
    end
  end
end
