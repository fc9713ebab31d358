# frozen_string_literal: true

require "test_helper"
require "holdup/model/ruby_version"

class Holdup::RubyVersionTest < Minitest::Test
  def version(text) = Holdup::RubyVersion.parse(text)

  # Mebibytes; of code up to 3.3, of code and metadata later.
  def test_the_default_size_of_each_version
    sizes = {"3.3.0" => 64, "3.3.1" => 48, "3.3.10" => 48, "3.4.0" => 128, "4.0.0" => 128}
    assert_equal sizes, sizes.keys.to_h { |text| [text, version(text).default_size] }
  end

  def test_what_a_version_can_do
    changes = {limits_total?: "3.4.0", counts_failures?: "3.4.0", sets_time_slice?: "3.4.0",
               takes_options?: "4.0.0"}
    changes.each do |ability, since|
      assert version(since).public_send(ability), ability
      refute version("3.3.9").public_send(ability), ability
    end
    assert_predicate version("3.4.9"), :counts_interpreted?
    refute_predicate version("4.0.0"), :counts_interpreted?
  end

  # Every part of the code that decides by a capability gets the version, so its tests need no such Ruby.
  def test_each_capability_can_be_switched
    Holdup::RubyVersion::CAPABILITIES.each_key do |name|
      [true, false].each do |on|
        assert_equal on, version("3.4.5").with(name => on).public_send(:"#{name}?"), name
      end
    end
  end

  def test_since_when_a_capability_is_there
    assert_equal "3.4", Holdup::RubyVersion.since(:sets_time_slice)
  end

  # Previews of a Ruby have its number before they have all of it.
  def test_what_can_be_looked_up_does_not_depend_on_the_number
    scoped = Object.new.tap { |object| def object.stat(key = nil, scope: nil) = [key, scope] }
    assert Holdup::RubyVersion.scoped?(scoped.method(:stat))
    refute Holdup::RubyVersion.scoped?([].method(:first))
    assert_equal Holdup::RubyVersion.scoped?(GC.method(:stat)), Holdup::RubyVersion.here.scopes_gc_stat?
    assert_predicate version("4.1.0dev"), :scopes_gc_stat?
    refute_predicate version("4.0.5"), :scopes_gc_stat?
  end

  def test_only_cruby_has_events_and_not_on_windows
    events = ->(engine, platform) { Holdup::RubyVersion.events?(engine:, platform:) }
    assert events.call("ruby", "x86_64-linux")
    assert events.call("ruby", "arm64-darwin24")
    refute events.call("truffleruby", "x86_64-linux")
    refute events.call("ruby", "x64-mingw-ucrt")
  end

  def test_when_threads_of_the_main_ractor_share_native_threads
    shared = [nil, "", "-1", "0", "1", "2"].to_h do |value|
      [value, Holdup::RubyVersion.shares_native_threads?({"RUBY_MN_THREADS" => value})]
    end
    assert_equal({nil => false, "" => false, "-1" => false, "0" => false, "1" => true, "2" => true}, shared)
  end

  LIB = File.expand_path("../../../lib", __dir__)
  EXT = File.expand_path("../../../ext", __dir__)
  OWN = "holdup/model/ruby_version.rb"
  # These name a Ruby: in a message, in a setting, in a folder, and where another Ruby prints its version.
  NAMES = {
    "holdup/agent/setting_facts.rb" => ['"ruby" => RUBY_VERSION,', '"ruby_patch" => RUBY_PATCHLEVEL,',
      '"engine" => RUBY_ENGINE,', '"platform" => RUBY_PLATFORM'],
    "holdup/agent/probe.rb" => [/"Holdup measures nothing on \#\{RUBY_ENGINE\} for \#\{RUBY_PLATFORM\}/],
    "holdup/agent/jit/manager.rb" => [/@log\.warn\("Ruby \#\{RUBY_VERSION\} takes/],
    "holdup/shell/compiled_code.rb" => [/\A +ruby = "\#\{RUBY_VERSION\}-/],
    "holdup/features/lab/jit.rb" => [/\A +print RUBY_VERSION/]
  }.freeze
  VERSIONS = /\bRUBY_(?:VERSION|ENGINE\w*|PATCHLEVEL|PLATFORM|RELEASE_DATE)\b|\bversion\("ruby"\)/

  def test_no_other_file_compares_versions_of_ruby
    others = Dir["#{LIB}/**/*.rb"].reject { |path| path.end_with?(OWN) }.flat_map do |path|
      file = path.delete_prefix("#{LIB}/")
      File.readlines(path, chomp: true).grep(VERSIONS)
        .reject { |line| NAMES.fetch(file, []).any? { |known| known === line || known === line.strip } }
        .map { |line| "#{file}: #{line.strip}" }
    end
    assert_empty others
  end

  def test_the_extension_asks_for_functions_and_not_for_versions
    lines = Dir["#{EXT}/**/*.{c,h,rb}"].flat_map do |path|
      File.readlines(path).grep(/RUBY_API_VERSION|RUBY_VERSION|ruby\/version\.h/).map { |line| [path, line] }
    end
    assert_empty lines
  end

  def test_numbers_are_compared_as_numbers
    assert version("3.10.2").at_least?(3, 9)
    refute version("3.3.0").at_least?(3, 3, 1)
    assert_operator (version("3.10.2") <=> version("3.9.9")), :positive?
    assert_equal ["3.10", "3.10.2"], [version("3.10.2").minor, version("3.10.2").to_s]
  end

  def test_what_stands_behind_the_numbers_is_left_out
    assert_equal [[4, 1, 0], [3, 4]], ["4.1.0dev", "3.4-preview1"].map { |text| version(text).numbers }
  end

  def test_what_is_no_version_is_older_than_all
    [nil, "", "truffleruby"].each do |text|
      assert_empty version(text).numbers
      refute_predicate version(text), :sets_time_slice?
    end
  end

  def test_this_ruby
    assert_equal RUBY_VERSION, Holdup::RubyVersion.here.numbers.join(".")
  end
end
