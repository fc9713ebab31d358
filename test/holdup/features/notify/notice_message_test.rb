# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Notify::NoticeMessageTest < Minitest::Test
  MESSAGE = Holdup::Notify::NoticeMessage.new(rule: "stall", state: :began, at_s: 1_790_000_000,
    source: "stall 0", title: "Waits", text: "Requests waited.",
    figure: "31 %", link: nil, command: "holdup report")

  def test_comes_back_from_json
    facts = JSON.parse(JSON.generate(MESSAGE.to_h), symbolize_names: true)
    assert_equal MESSAGE, Holdup::Notify::NoticeMessage.load(facts)
  end

  def test_lines_leave_out_a_link_that_there_is_not
    assert_equal ["Waits: Requests waited.", "holdup report"], MESSAGE.lines
    assert_equal "https://x", MESSAGE.with(link: "https://x").lines.last
  end
end
