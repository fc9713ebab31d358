# frozen_string_literal: true

require "open3"
require "rbconfig"

# Runs a script in a Ruby of its own: for what changes a whole process (fork, M:N threads, storage keys,
# GC.stress) or may take it down.
module FreshRuby
  PRELUDE = <<~RUBY
    $LOAD_PATH.unshift(
      #{File.expand_path("../../lib", __dir__).dump}, #{File.expand_path("..", __dir__).dump}
    )
    # Without gems, for those that read with the other half.
    $LOAD_PATH.push(*#{Gem.loaded_specs.fetch("zeitwerk").full_require_paths.inspect})
    require "holdup/agent/probe"
    require "holdup/model/measurement"
    require "native/gvl_work"
    include GvlWork::Measuring
  RUBY

  # Most of its time a short Ruby would load Bundler, and what is in the application needs no gem.
  WITHOUT_GEMS = {env: {"RUBYOPT" => nil}, options: ["--disable=gems"]}.freeze
  WITH_GEMS = {env: {}, options: []}.freeze

  # CRuby 3.3 crashes once in a thousand times while a process with M:N threads clears up, in a native thread
  # that still looks for work (coroutine_transfer), with and without Holdup.
  END_AT_ONCE = "\n$stdout.flush\nexit!(true)\n"

  # CRuby 3.3 and 3.4 can lose the wake-up of a thread in a Ractor that has several, with and without Holdup:
  # of 630 runs of two Ractors with two threads each, without Holdup, four never ended. So a script with
  # Ractors that does not end in time is run again.
  RACTOR_TRIES = 3
  KILL = Signal.list.fetch("KILL")

  # @param gems [Boolean] whether the script needs any
  # @return [String] what it printed; the test fails unless it ends with status 0 in time
  def fresh_ruby(script, env: {}, options: [], timeout: WaitUntil::PATIENCE_S, prelude: PRELUDE, gems: false)
    base = gems ? WITH_GEMS : WITHOUT_GEMS
    script += END_AT_ONCE if env["RUBY_MN_THREADS"]
    command = ["timeout", "--signal=KILL", timeout.to_s, RbConfig.ruby, "-W:no-experimental",
      *base[:options], *options, "-e", prelude + script]
    output = status = nil
    (script.include?("Ractor.new") ? RACTOR_TRIES : 1).times do
      output, status = Open3.capture2e(base[:env].merge(env), *command)
      break unless status.termsig == KILL
    end
    assert status.success?, "#{status}:\n#{output}"
    output
  end
end
