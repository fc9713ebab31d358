# frozen_string_literal: true

require "test_helper"

# A server with another JIT than YJIT in its environment. Two JITs at once end a Ruby when it starts: Holdup's
# own children must not get the server's.
class ChildrenJitTest < Minitest::Test
  def other_jit
    %w[--zjit --rjit].find { |option| system(RbConfig.ruby, option, "-e", "", err: File::NULL) } or
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
