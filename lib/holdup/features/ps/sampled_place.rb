# frozen_string_literal: true

module Holdup
  module Ps
    # Where a thread was seen last, as the probe writes it: file and line, the application's method, and
    # perhaps what that called (ext/holdup/hook/hold_places.c).
    module SampledPlace
      TEXT = /\A(?<file>\S+):(?<line>\d+) (?<method>[^|]+?)(?: \| (?<called>.+))?\z/

      # @param place [String, nil] "app/models/sales_report.rb:30 SalesReport#rows | Array#map"
      # @return [String, nil] "sales_report.rb:30 (SalesReport#rows -> Array#map)", without the line where
      #   Ruby did not know it, as in code that YJIT has compiled; or what it is if it has another form
      def self.short(place)
        found = place&.match(TEXT) or return place
        called = found[:called]&.delete("()")
        line = ":#{found[:line]}" unless found[:line] == "0"
        "#{File.basename(found[:file])}#{line} (#{[found[:method], called].compact.join(" -> ")})"
      end
    end
  end
end
