# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::FeatureContentsTest < Minitest::Test
  def contents
    Holdup::FeatureContents.of(
      commands: [{name: "try", place: 1, summary: "tries"}],
      pages: [{name: "tries", place: 2, section: :overview}],
      tools: [{name: "try", place: 3, command: %w[try], description: "tries"}]
    )
  end

  def test_an_entry_stands_for_the_constant_of_its_kind
    assert_equal "Command", contents.commands.first.constant
    assert_equal "Page", contents.pages.first.constant
    assert_nil contents.tools.first.constant, "its command makes the answer"
  end

  def test_unless_it_says_otherwise_a_command_warns_and_a_page_is_listed
    assert contents.commands.first.warns
    assert contents.pages.first.listed
    assert_empty contents.pages.first.former
  end

  def test_a_feature_says_only_what_it_has
    nothing = Holdup::FeatureContents.of
    lists = nothing.to_h.except(:about)
    assert_empty lists.reject { |_, list| list.empty? }
    assert_empty lists.reject { |_, list| list.frozen? }
  end

  def test_an_entry_with_a_member_that_does_not_exist_is_refused
    assert_raises(ArgumentError) { Holdup::FeatureContents.of(pages: [{name: "a", place: 1, secton: :jobs}]) }
  end
end
