# frozen_string_literal: true

module Holdup
  module Ps
    # Where a thread was seen last, as the probe writes it: file and line, the application's method, and
    # perhaps what that called (ext/holdup/hook/hold_places.c).
    module SampledPlace
      # Ruby did not know the line, as in code that YJIT has compiled.
      NO_LINE = /\A(\S+):0 /
      TEXT = /\A(?<file>\S+):(?<line>\d+) (?<method>[^|]+?)(?: \| (?<called>.+))?\z/

      # @param place [String, nil] as the probe writes it
      # @return [String, nil] the same, without a line that is not known
      def self.whole(place) = place&.sub(NO_LINE, '\1 ')

      # @param place [String, nil] "app/models/sales_report.rb:30 SalesReport#rows | Array#map"
      # @return [String, nil] "sales_report.rb:30 (SalesReport#rows -> Array#map)", without a line that is
      #   not known; or what it is if it has another form
      def self.short(place)
        found = place&.match(TEXT) or return place
        called = found[:called]&.delete("()")
        line = ":#{found[:line]}" unless found[:line] == "0"
        "#{File.basename(found[:file])}#{line} (#{[found[:method], called].compact.join(" -> ")})"
      end
    end
  end
end
