# frozen_string_literal: true

require "test_helper"
require "holdup/model/template_method"

class Holdup::TemplateMethodTest < Minitest::Test
  def test_names_that_rails_gives_to_templates
    ["_app_views_orders_index_html_erb___4123_5960", "#<Class:0x000071>#_app_views_a_html_erb__1_2",
      "block in _app_views_orders_index_html_erb___4123_5960"].each do |label|
      assert Holdup::TemplateMethod.name?(label), label
    end
  end

  def test_no_other_method
    ["Report#rows", "Report#_rows__1", "index_html_erb___4123_5960_more", "a__1_2"].each do |label|
      refute Holdup::TemplateMethod.name?(label), label
    end
  end
end
