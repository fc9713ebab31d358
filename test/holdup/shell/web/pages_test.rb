# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::PagesTest < Minitest::Test
  Pages = Holdup::Web::Pages

  def test_every_entry_of_the_menu_has_pages_of_its_own
    assert_equal Pages::SECTIONS, Pages::MENU.keys
    assert_equal Pages::LISTED.uniq, Pages::LISTED
    Pages::MENU.each { |section, names| refute_empty names, section }
  end

  def test_a_page_that_is_reached_from_others_is_not_listed
    refute_includes Pages::LISTED, "endpoint"
    assert_equal :requests, Pages.section_of("endpoint")
  end

  def test_finds_a_page_by_its_name
    assert_equal Holdup::Report::BlamePage, Pages["blame"]
    assert_nil Pages["no_such_page"]
    assert_nil Pages.section_of("no_such_page")
    assert_nil Pages.section_of(nil)
  end

  # A former name that is a page's would hide one of them.
  def test_former_names_lead_to_pages_and_are_none_themselves
    refute_empty Pages::FORMER
    assert_empty Pages::FORMER.values - Pages::ALL.keys
    assert_empty Pages::FORMER.keys & Pages::ALL.keys
  end
end
