# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::OptionsTest < Minitest::Test
  def defaults(text) = Holdup::Jit::RubyDefaults.parse(text)

  # Mebibytes; of code up to 3.3, of code and metadata later.
  def test_the_default_size_of_each_version
    sizes = {"3.3.0" => 64, "3.3.1" => 48, "3.3.10" => 48, "3.4.0" => 128, "4.0.0" => 128}
    assert_equal sizes, sizes.keys.to_h { |version| [version, defaults(version).default_size] }
  end

  def test_what_a_version_can_do
    changes = {limits_total?: "3.4.0", counts_failures?: "3.4.0", takes_options?: "4.0.0"}
    changes.each do |ability, since|
      assert defaults(since).public_send(ability), ability
      refute defaults("3.3.9").public_send(ability), ability
    end
    assert_predicate defaults("3.4.9"), :counts_interpreted?
    refute_predicate defaults("4.0.0"), :counts_interpreted?
  end

  def test_numbers_are_compared_as_numbers
    assert defaults("3.10.2").at_least?(3, 9)
    refute defaults("3.3.0").at_least?(3, 3, 1)
    assert_equal "3.10", defaults("3.10.2").minor
  end
end
