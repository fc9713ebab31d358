# frozen_string_literal: true

require "native/native_helper"
require "open3"
require "support/compile_cache"
require "support/extension_sources"

# The handlers of GVL events alone, in C, driven by scripts: some come in an order that no released Ruby has,
# as where a "hot" thread takes the GVL back before the next one resumes.
class ThreadEventsTest < NativeTest
  SCRIPT = File.join(__dir__, "thread_events/scripted_events.c")
  SOURCES = [SCRIPT, *ExtensionSources::STUBS, *ExtensionSources::WITHOUT_RUBY].freeze
  COMMAND = ["gcc", "-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-Wall", "-Wextra", "-Werror",
    "-Wno-unused-parameter", "-DHAVE_POSIX_FALLOCATE", "-DHAVE_MEMFD_CREATE",
    *ExtensionSources::HEADERS.map { |folder| "-I#{folder}" }].freeze
  SCRIPTS = 2000

  one_ruby def test_every_tick_of_every_order_of_events_is_counted_once
    output, status = Open3.capture2e(program, SCRIPTS.to_s)
    assert status.success?, output
    came = output.lines.to_h { |line| line.split.then { |name, count| [name, Integer(count)] } }
    assert_equal 0, came.delete("wrong")
    assert_operator came.values.min, :>, SCRIPTS / 4, "each kind of event came: #{came}"
  end

  private

  def program
    command = COMMAND.map { |option| option.sub(ExtensionSources::FOLDER, "") }
    read = [SCRIPT, *ExtensionSources::STUBS, *ExtensionSources.all]
    CompileCache.fetch("scripted_events", command, read) do |path|
      output, status = Open3.capture2e(*COMMAND, *SOURCES, "-lm", "-o", path)
      raise output unless status.success?
    end
  end
end
