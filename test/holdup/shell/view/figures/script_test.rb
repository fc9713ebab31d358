# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

# A number stands in a table, which the server writes, and in a chart, which a script writes: both say it
# alike. The script's own test reads the same file.
class Holdup::View::Figures::ScriptTest < Minitest::Test
  FILE = File.expand_path("../../../../../assets/test/figures.json", __dir__)
  TOLD = {"ns" => :duration, "share" => :share, "rate" => :rate, "count" => :count, "bytes" => :bytes}.freeze

  def test_the_server_says_what_the_script_says
    figures = JSON.parse(File.read(FILE))
    assert_equal TOLD.keys, figures.keys
    figures.each do |unit, values|
      values.each do |value, text|
        assert_equal text, Holdup::View::Figures.public_send(TOLD[unit], value), "#{unit} #{value}"
      end
    end
  end
end
