# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::PlacesTest < Minitest::Test
  Places = Holdup::CLI::Places

  def test_an_option_is_stronger_than_the_environment
    env = {"HOLDUP_DIR" => "/env/dir", "HOLDUP_STORE" => "/env/store", "HOME" => "/home/u"}
    assert_equal ["/env/dir", "/env/store"], [Places.directory(env), Places.store(env)]
    assert_equal ["/given", "given"], [Places.directory(env, "/given"), Places.store(env, "given")]
  end

  def test_defaults
    assert_equal "sqlite:///home/u/.local/state/holdup/holdup.sqlite3", Places.store({"HOME" => "/home/u"})
    assert_match(%r{/holdup-#{Process.uid}\z}, Places.directory({}))
  end

  def test_language
    assert_equal %w[ja en en ja],
      [{"LANG" => "ja_JP.UTF-8"}, {}, {"LC_ALL" => "C", "LANG" => "ja_JP"},
        {"LC_ALL" => "", "LANG" => "ja"}].map { |env| Places.language(env) }
  end

  def test_rejects_a_wrong_environment
    assert_match(/HOLDUP_DIR/,
      assert_raises(Holdup::ConfigurationError) { Places.directory({"HOLDUP_DIR" => "relative"}) }.message)
  end
end
