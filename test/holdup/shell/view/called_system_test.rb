# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::CalledSystemTest < Minitest::Test
  Line = Data.define(:system, :target)

  def said(system, target = nil)
    Holdup::View::CalledSystem.call(Line.new(system:, target:), Holdup::View::Words.new)
  end

  def test_says_the_system_and_what_is_called_there
    assert_equal ["SQL primary", "HTTP 127.0.0.1", "cache"],
      [said("sql", "primary"), said("http", "127.0.0.1"), said("cache")]
  end

  def test_a_system_of_a_later_version_is_one_of_the_others
    assert_equal "others tape", said("teleport", "tape")
  end

  def test_every_system_has_a_name
    Holdup::View::CalledSystem::NAMES.each { |system| refute_includes said(system), "system_" }
  end
end
