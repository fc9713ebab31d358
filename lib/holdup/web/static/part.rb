# frozen_string_literal: true

module Holdup
  class Web
    module Static
      # What would be a page of the dashboard is a part of a file.
      #
      # - `id`: what links of the file lead to it by; `blocks`: Array of Blocks; `charts`: {String => Chart},
      #   those of them that are drawn; `listed`: whether it is in the list of contents
      # - `page`, `params`: what links of the dashboard lead to it by
      Part = Data.define(:id, :title, :blocks, :charts, :listed, :page, :params) do
        def initialize(id:, title:, blocks:, charts: {}, listed: true, page: id, params: {})
          super
        end
      end
    end
  end
end
