# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "pty"

class Holdup::View::StyleTest < Minitest::Test
  def painted(io, env)
    Holdup::View::Drawing::Style.for(io, env).paint("x", :red)
  end

  def test_colours_only_on_a_terminal_and_not_against_the_users_wish
    PTY.open do |_, terminal|
      assert_equal "\e[31mx\e[0m", painted(terminal, {})
      assert_equal "\e[31mx\e[0m", painted(terminal, {"NO_COLOR" => ""})
      assert_equal "x", painted(terminal, {"NO_COLOR" => "1"})
      assert_equal "x", painted(terminal, {"TERM" => "dumb"})
    end
    IO.pipe { |_, writer| assert_equal "x", painted(writer, {}) }
  end
end
