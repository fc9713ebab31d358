# frozen_string_literal: true

module Holdup
  # Rails compiles a template into a method whose name has numbers that differ in each process
  # (ActionView::Template#method_name): "_app_views_orders_index_html_erb___4123_5960".
  module TemplateMethod
    PATTERN = /(?:\A|[ #.])_\w+__\d+_\d+\z/

    # @param label [String] of a method, or of a block in it
    def self.name?(label) = PATTERN.match?(label)
  end
end
