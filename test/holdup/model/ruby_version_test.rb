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

  def test_numbers_are_compared_as_numbers
    assert version("3.10.2").at_least?(3, 9)
    refute version("3.3.0").at_least?(3, 3, 1)
    assert_equal "3.10", version("3.10.2").minor
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
