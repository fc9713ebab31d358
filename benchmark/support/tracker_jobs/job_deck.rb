# frozen_string_literal: true

module Bench
  # The jobs of benchmark/database_app in a random order, but with exact shares, as a PageDeck has pages. The
  # same seed gives the same jobs.
  class JobDeck
    # A job's class, its weight, and the largest id that it can be about.
    JobKind = Data.define(:name, :weight, :ids)
    LIGHT = [
      JobKind.new(name: "DigestJob", weight: 9, ids: 400),
      JobKind.new(name: "RelatedJob", weight: 4, ids: 8_000)
    ].freeze
    HEAVY = [
      JobKind.new(name: "SummaryJob", weight: 5, ids: 60),
      JobKind.new(name: "ExportJob", weight: 2, ids: 60)
    ].freeze
    ALL = [*LIGHT, *HEAVY].freeze

    # @param kinds [Array<JobKind>]
    def initialize(kinds, seed: 1)
      @cards = kinds.flat_map { |kind| [kind] * kind.weight }
      @random = Random.new(seed)
      @left = []
    end

    # @return [Array(String, Integer)] the next job's class and argument
    def draw
      @left = @cards.shuffle(random: @random) if @left.empty?
      kind = @left.pop
      [kind.name, @random.rand(1..kind.ids)]
    end

    # @return [Array<Array(String, Integer)>] the next jobs
    def take(count) = Array.new(count) { draw }
  end
end
