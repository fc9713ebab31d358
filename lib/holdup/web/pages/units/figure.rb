# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      module Units
        # A figure of endpoints and jobs. `read`: row, summary => number or nil; `tell`: how
        # View::Figures writes it; `word`: its title; `csv`: its name in a file, with the unit.
        Figure = Data.define(:word, :csv, :tell, :read) do
          def initialize(word:, csv:, read:, tell: :duration)
            super
          end
        end

        class << Figure
          # @param key [Symbol] of Window::HISTOGRAMS
          # @param at [Float]
          # @return [Figure]
          def quantile(word, csv, key, at)
            new(word:, csv:, read: ->(row, _) { row.histogram(key).quantile(at) })
          end
        end
      end
    end
  end
end
