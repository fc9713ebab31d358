# frozen_string_literal: true

module Holdup
  class Web
    # A page's colours: the browser's preference, or the theme in its address. The dark ones are a separate
    # style sheet, so its `media` alone decides and nothing is written twice. Paper is always light.
    module Theme
      KNOWN = %w[auto light dark].freeze
      # When the dark style sheet applies; without an entry, never.
      MEDIA = {"auto" => View::Html::DARK_MEDIA, "dark" => "screen"}.freeze
      # For parts that the browser draws itself, such as scroll bars.
      SCHEMES = {"auto" => "light dark", "light" => "light", "dark" => "dark"}.freeze

      # @param asked [String, nil] in the address
      # @return [String] one of KNOWN
      def self.of(asked)
        KNOWN.find { |theme| theme == asked } || KNOWN.first
      end
    end
  end
end
