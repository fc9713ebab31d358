# frozen_string_literal: true

module Holdup
  module View
    # How the states of the split are drawn, a row for each of UnitNumbers::STATES: a character in text, a
    # colour and a pattern in a browser. Each looks the same wherever it appears, and differs from the others
    # without colours too. `bin/generate` writes the colours into the style sheets.
    module StateLooks
      # - `symbol`: an ASCII character; `terminal`: a key of Drawing::Style::CODES
      # - `light`, `dark`: colours on pages of that kind
      # - `tile`, `mark`: the pattern, a square of so many pixels and the SVG in it; nil for the plain colour
      StateLook = Data.define(:symbol, :terminal, :light, :dark, :tile, :mark) do
        def initialize(symbol:, terminal:, light:, dark:, tile: nil, mark: nil)
          super
        end
      end

      ALL = {
        cpu: StateLook.new(symbol: "#", terminal: :green, light: "#2a7f4f", dark: "#2f8f59"),
        starved: StateLook.new(symbol: "!", terminal: :yellow, light: "#b26a00", dark: "#b8760f", tile: 6,
          mark: '<path d="M0 3h6" stroke="#fff" stroke-width="1.5"/>'),
        stalled: StateLook.new(symbol: "x", terminal: :red, light: "#b3261e", dark: "#c43a31", tile: 8,
          mark: '<path d="M-2 2l4-4M0 8l8-8M6 10l4-4" stroke="#fff" stroke-width="2"/>'),
        io: StateLook.new(symbol: "~", terminal: :blue, light: "#2563ab", dark: "#3a76c2", tile: 6,
          mark: '<circle cx="3" cy="3" r="1" fill="#fff"/>'),
        lock: StateLook.new(symbol: "=", terminal: :magenta, light: "#7b3fa0", dark: "#8d52b3", tile: 8,
          mark: '<path d="M0 0l8 8M8 0l-8 8" stroke="#fff" stroke-width="1"/>'),
        sleep: StateLook.new(symbol: "z", terminal: :dim, light: "#6b7280", dark: "#757d8a", tile: 6,
          mark: '<path d="M3 0v6" stroke="#fff" stroke-width="1"/>'),
        native: StateLook.new(symbol: "+", terminal: :cyan, light: "#0f7680", dark: "#16858f", tile: 8,
          mark: '<path d="M-2 6l4 4M0 0l8 8M6-2l4 4" stroke="#fff" stroke-width="1.5"/>')
      }.freeze
    end
  end
end
