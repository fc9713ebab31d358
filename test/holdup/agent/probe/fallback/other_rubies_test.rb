# frozen_string_literal: true

require "test_helper"

# What other engines and systems meet, as far as it can be seen on this one: the constants by which they are
# distinguished are theirs. (test/integration/jruby_test.rb runs a real JRuby.)
class Holdup::Probe::OtherRubiesTest < Minitest::Test
  ROOT = File.expand_path("../../../../..", __dir__)
  OTHERS = {"truffleruby" => "x86_64-linux", "jruby" => "java", "ruby" => "x64-mingw-ucrt"}.freeze

  def as(engine, platform, script)
    prelude = <<~RUBY
      {RUBY_ENGINE: #{engine.dump}, RUBY_PLATFORM: #{platform.dump}}.each do |name, value|
        Object.send(:remove_const, name)
        Object.const_set(name, value)
      end
    RUBY
    fresh_ruby(script, prelude:, env: {"HOLDUP_DIR" => @dir}, options: ["-W0", "-I#{ROOT}/lib"])
  end

  def setup = @dir = File.join(Dir.mktmpdir, "segments")

  def teardown = FileUtils.remove_entry(File.dirname(@dir))

  def test_the_extension_is_left_out_of_the_installation
    OTHERS.each do |engine, platform|
      folder = Dir.mktmpdir(nil, File.dirname(@dir))
      as(engine, platform, "Dir.chdir(#{folder.dump}) { load #{"#{ROOT}/ext/holdup/extconf.rb".dump} }")
      assert_equal ["Makefile"], Dir.children(folder)
      assert system("make", "-s", "all", "install", chdir: folder), engine
    end
  end

  def test_loads_measures_nothing_and_warns_once
    OTHERS.each do |engine, platform|
      output = as(engine, platform, <<~RUBY)
        require "holdup"
        p [Holdup.start, Holdup.start, Holdup.measure("Job") { 42 }, Holdup::Probe.snapshot]
      RUBY
      assert_includes output, "[false, false, 42, {}]"
      reason = "Holdup measures nothing on #{engine} for #{platform}: it needs CRuby's GVL events"
      assert_equal ["holdup: #{reason}"], output.lines.grep(/^holdup/).map(&:chomp)
      refute_path_exists @dir
    end
  end
end
