# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::PageTest < Minitest::Test
  Blocks = Holdup::View::Blocks

  # CSV and JSON of a page have nothing else.
  def test_tables_and_lists_of_a_page_in_plain_text
    link = Blocks::Link.new(text: "Orders#index", page: "endpoint")
    table = Holdup::View::Section.new(title: "Times", columns: ["name"], rows: [[link]])
    page = Holdup::View::Page.new(title: "Report", blocks: [Blocks::Lead.new(text: "fast"), table])
    assert_equal ["Times"], page.sections.map(&:title)
    assert_equal [["Orders#index"]], page.sections.first.rows
    assert_empty page.about
  end
end
