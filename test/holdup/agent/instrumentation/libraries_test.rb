# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/libraries"

class Holdup::Instrumentation::LibrariesTest < Minitest::Test
  FILES = Dir[File.expand_path("../../../../lib/holdup/agent/instrumentation/*.rb", __dir__)]

  # What each of them says of the process, in a Ruby that has only these constants.
  def installed(defined)
    fresh_ruby(<<~RUBY)
      require "holdup"
      #{defined}
      before = $LOADED_FEATURES.dup
      recorder = Holdup.recorder
      libraries = Holdup::Instrumentation::Libraries.new(recorder:, jobs: -> { Holdup.jobs })
      libraries.each { |resource| recorder.guard.call(:resource) { resource.install } }
      loaded = ($LOADED_FEATURES - before).grep(%r{agent/instrumentation})
      puts loaded.map { |file| File.basename(file, ".rb") }
    RUBY
  end

  def test_an_application_without_such_libraries_loads_none_of_their_files
    assert_empty installed("")
  end

  def test_the_file_of_a_library_is_loaded_with_it
    loaded = installed("module MCP; class Server; def call_tool_with_args(...) = nil; end; end")
    assert_equal ["mcp_tools"], loaded.lines(chomp: true)
  end

  def test_each_file_is_there
    files = File.read(FILES.find { |file| file.end_with?("/libraries.rb") }).scan(/late\("(\w+)"/).flatten
    assert_operator files.size, :>, 10
    assert_empty files - FILES.map { |file| File.basename(file, ".rb") }
  end
end
