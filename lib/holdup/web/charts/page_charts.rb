# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # Charts of figures that stand in the table beside them, and are in the page because it takes long to
      # find them or nobody stores them. `charts`: title => Chart; `notes`: sentences under them
      PageCharts = Data.define(:charts, :notes) do
        def initialize(charts:, notes: []) = super

        def view = "drawn"
      end
    end
  end
end
