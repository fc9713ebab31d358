# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/setting"

class ApplicationSharesTest < Minitest::Test
  Applications = Holdup::Analysis::ApplicationShares

  def of(*counts)
    Applications.of(counts.map { |app, count|
      [app && Holdup::Setting.new(attributes: {"app" => app}),
        count]
    })
  end

  def test_shares_of_the_units_most_first
    found = of(["admin", 10], ["shop", 60], ["admin", 10], [nil, 20])
    assert_equal ["shop 60 %, admin 20 %, - 20 %", true], [found.to_s, found.several?]
  end

  def test_one_or_none
    refute of(["shop", 1], ["shop", 2], ["admin", 0]).several?
    refute of.several?
  end

  def test_a_crowd_is_not_listed_whole
    assert_match(/, \.\.\.\z/, of(*("a".."h").map { |app| [app, 1] }).to_s)
  end
end
