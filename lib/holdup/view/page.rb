# frozen_string_literal: true

module Holdup
  module View
    # A report before it is laid out: what stands above everything, the one sentence, remarks, and sections.
    #
    # - `title`, `lead`: String, of a part of a page there may be no lead; `facts`: Array of String, plain
    #   lines under the title; `remarks`: Array of String
    # - `sections`: Array of Section
    Page = Data.define(:title, :facts, :lead, :remarks, :sections)
  end
end
