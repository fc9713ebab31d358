# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # A cell that tells a moment. `seconds`: to the second, to find it in a log
      Moment = Data.define(:at_s, :seconds) do
        def initialize(at_s:, seconds: false) = super

        # @return [String] for programs
        def exact = Time.at(at_s).utc.strftime("%FT%TZ")

        # @return [String] in the server's zone; a script tells it in the viewer's
        def to_s
          Time.at(at_s).strftime(seconds ? "%F %T" : "%F %H:%M")
        end
      end
    end
  end
end
