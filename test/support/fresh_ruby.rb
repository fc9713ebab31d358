# frozen_string_literal: true

require "open3"
require "rbconfig"

# Runs a script in a Ruby of its own: for what changes a whole process (fork, M:N threads, storage keys, GC.stress) or may
# take it down.
module FreshRuby
  PRELUDE = <<~RUBY
    $LOAD_PATH.unshift(#{File.expand_path("../../lib", __dir__).dump}, #{File.expand_path("..", __dir__).dump})
    require "holdup/probe"
    require "holdup/measurement"
    require "native/gvl_work"
    include GvlWork::Measuring
  RUBY

  # @return [String] what it printed; the test fails unless it ends with status 0 in time
  def fresh_ruby(script, env: {}, options: [], timeout: 60, prelude: PRELUDE)
    command = ["timeout", "--signal=KILL", timeout.to_s, RbConfig.ruby, "-W:no-experimental", *options, "-e", prelude + script]
    output, status = Open3.capture2e(env, *command)
    assert status.success?, "#{status}:\n#{output}"
    output
  end
end
