# frozen_string_literal: true

require "test_helper"
require "open3"

# What other engines and systems meet, as far as it can be seen on this one: the constants by which they are
# distinguished are theirs. (test/integration/jruby_test.rb runs a real JRuby.)
class Holdup::Probe::OtherRubiesTest < Minitest::Test
  ROOT = File.expand_path("../../../../..", __dir__)
  OTHERS = {"truffleruby" => "x86_64-linux", "jruby" => "java", "ruby" => "x64-mingw-ucrt"}.freeze
  # Systems with events for which nobody builds a release.
  BSD = "x86_64-freebsd14.1"
  MAC = "arm64-darwin24"
  EXTENSION = File.join(ROOT, "ext/holdup")

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

  def test_an_extension_that_does_not_compile_elsewhere_fails_no_installation
    source = File.join(File.dirname(@dir), "source")
    FileUtils.cp_r(EXTENSION, source)
    File.write("#{source}/capture/capture.c", "#error of another system\n")
    folder, = configure(BSD, source)
    said, status = Open3.capture2e("make", "all", "install", chdir: folder)
    assert_predicate status, :success?, said
    assert_equal 1, said.scan("holdup: the extension does not compile here, so nothing is measured.").size
    assert_empty Dir["#{folder}/*.so"]
  end

  def test_a_missing_compiler_elsewhere_fails_no_installation
    [BSD, MAC].each do |platform|
      folder, said = configure(platform, EXTENSION, compiler: "false")
      assert_match(/^holdup: the extension is left out, so nothing is measured here\. /, said)
      assert system("make", "-s", "all", "install", chdir: folder), platform
    end
  end

  # Linux has precompiled gems: who compiles there wants to measure.
  def test_a_missing_compiler_is_an_error_on_linux
    _, said = configure("x86_64-linux", EXTENSION, compiler: "false")
    refute_match(/^holdup: /, said)
    assert_match(/install development tools first/, said)
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

  private

  # @return [Array<String>] the folder with the Makefile, and what was printed
  def configure(platform, source, compiler: RbConfig::MAKEFILE_CONFIG.fetch("CC"))
    folder = Dir.mktmpdir(nil, File.dirname(@dir))
    script = <<~RUBY
      require "rbconfig"
      [RbConfig::CONFIG, RbConfig::MAKEFILE_CONFIG].each { |config| config["CC"] = #{compiler.dump} }
      Dir.chdir(#{folder.dump})
      begin
        load "#{source}/extconf.rb"
      rescue RuntimeError => error
        puts error.message
      end
    RUBY
    [folder, as("ruby", platform, script)]
  end
end
