# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      module Units
        # By which figure units are sorted, and which way.
        class Order
          DIRECTIONS = {"asc" => "ascending", "desc" => "descending"}.freeze
          KNOWN = ["name", *FIGURES.keys.map(&:to_s)].freeze

          # @param figure [String] one of KNOWN
          # @param direction [String, nil] a key of DIRECTIONS; nil: the largest first
          # @raise [UsageError]
          def initialize(figure, direction)
            @figure = figure
            @direction = direction || "desc"
            unless KNOWN.include?(figure)
              raise UsageError.new("sort can't be #{figure.inspect}",
                Queries::OptionValues::NearestName.hint(figure, KNOWN) || "it takes one of #{KNOWN.join(", ")}")
            end
            unless DIRECTIONS.key?(@direction)
              raise UsageError.new("dir can't be #{direction.inspect}", "it takes asc or desc")
            end
          end

          # @param rows [Array<Analysis::SeriesRow>]
          # @param summary [Analysis::Summary]
          # @return [Array<Analysis::SeriesRow>]
          def call(rows, summary)
            ascending = rows.sort_by { |row| [value(row, summary), row.name] }
            (@direction == "asc") ? ascending : ascending.reverse
          end

          # @param figure [Symbol]
          # @return [String, nil] in the words of ARIA
          def told(figure)
            (figure.to_s == @figure) ? DIRECTIONS[@direction] : nil
          end

          # @param figure [Symbol]
          # @return [Hash{String => String}] what the title of its column asks for
          def asked(figure)
            {"sort" => figure.to_s, "dir" => (told(figure) == "descending") ? "asc" : "desc"}
          end

          private

          def value(row, summary)
            (@figure == "name") ? row.name : FIGURES.fetch(@figure.to_sym).read.call(row, summary) || -1
          end
        end
      end
    end
  end
end
