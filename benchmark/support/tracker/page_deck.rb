# frozen_string_literal: true

module Bench
  # Pages in a random order, but with exact shares: each pass through the deck has every page as often as its
  # weight says. With independent draws, chance in the mix of two hundred requests would move the throughput
  # of unlike pages by several percent.
  class PageDeck
    # @param routes [Array<Holdup::Lab::Route>] with whole numbers as weights
    # @param random [Random] for the order, and for the paths
    def initialize(routes, random:)
      @cards = routes.flat_map { |route| [route] * route.weight }
      @random = random
      @left = []
    end

    # @return [Array(Holdup::Lab::Route, String)] the next route, and its path
    def draw
      @left = @cards.shuffle(random: @random) if @left.empty?
      route = @left.pop
      [route, route.path_for(@random)]
    end
  end
end
