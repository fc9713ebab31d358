# frozen_string_literal: true

module Holdup
  class Web
    # Which colours a page has: the browser's wish, or what somebody chose by its address. The dark ones are a
    # style sheet of their own, so that its `media` alone decides and nothing is written twice. Paper is
    # always light.
    module Theme
      KNOWN = %w[auto light dark].freeze
      # When the dark ones are in force; never where there is none.
      MEDIA = {"auto" => View::Html::DARK_MEDIA, "dark" => "screen"}.freeze
      # What the browser draws itself, such as scroll bars.
      SCHEMES = {"auto" => "light dark", "light" => "light", "dark" => "dark"}.freeze

      # @param asked [String, nil] in the address
      # @return [String] one of KNOWN
      def self.of(asked)
        KNOWN.find { |theme| theme == asked } || KNOWN.first
      end
    end
  end
end
