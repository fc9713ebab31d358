# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # Charts beside each other, and the table with the same figures, which is there for everybody. `names`: {String => String}, of a
      # chart of this page and its title; `twin`: Blocks::Table; `part`: Blocks::SpanLink, nil where they show the whole span
      Block = Data.define(:title, :names, :twin, :part) do
        def initialize(title:, names:, twin:, part: nil) = super

        def view = "charts"
      end

      # Charts of figures that stand in the table beside them, and are in the page because it takes long to find them or
      # nobody stores them. `charts`: title => Chart; `notes`: sentences under them
      Drawn = Data.define(:charts, :notes) do
        def initialize(charts:, notes: []) = super

        def view = "drawn"
      end

      # A cell that tells a moment. `seconds`: to the second, to find it in a log
      Moment = Data.define(:at_s, :seconds) do
        def initialize(at_s:, seconds: false) = super

        # @return [String] for programs
        def exact = Time.at(at_s).utc.strftime("%FT%TZ")

        # @return [String] in the server's zone; a script tells it in the viewer's
        def to_s = Time.at(at_s).strftime(seconds ? "%F %T" : "%F %H:%M")
      end
    end
  end
end
