# frozen_string_literal: true

require_relative "support/bench"
require_relative "support/storefront_server"

module Bench
  # The storefront at saturation: whether the whole of Holdup is felt in a real application.
  class Rails
    ARMS = ["none", "none again", "gvltools", "perfm in its database", "vernier", "holdup"].freeze
    COLUMNS = ["", "requests/s", "throughput / none's", "CPU ms per request", "CPU / none's"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @boots, @rounds, @seconds = quick ? [1, 1, 2] : [3, 3, 3]
    end

    # @return [Result]
    def call
      @samples = Array.new(@boots) { booted { |servers| measure(servers) } }
        .reduce { |all, more| all.merge(more) { |_, earlier, later| earlier + later } }
      table = ResultTable.new(COLUMNS, rows)
      Result.new(title: "The storefront at saturation", about:, tables: [table], notes:)
    end

    private

    def booted
      Fresh.scratch do |scratch|
        Shop.open do |shop|
          servers = ARMS.to_h { |arm| [arm, StorefrontServer.new(arm, shop:, scratch:)] }
          yield servers
        ensure
          servers&.each_value(&:release)
        end
      end
    end

    def measure(servers)
      servers.each_value { |server| server.boot.measure(@seconds) } # that one warms up
      Rounds.call(ARMS, @rounds) { |arm| servers[arm].measure(@seconds) }
    end

    def rows
      ARMS.map { |arm| [arm, *figures(arm, :rate, 1), *figures(arm, :cpu_per_request, 1000)] }
    end

    def figures(arm, figure, scale)
      values, bare = [arm, "none"].map { |name| @samples[name].map(&figure) }
      [Spread.of(values.map { |value| value * scale }).to_s((scale == 1) ? 0 : 3),
        Spread.paired(values, bare) { |one, other| one / other }.to_s(3)]
    end

    def about
      "Rails in Puma (one worker, five threads, YJIT), driven by wrk with ten connections that ask for a " \
      "mix of reads. " \
        "#{@boots} boots of all arms with #{@rounds} rounds of #{@seconds} s each, in changing order; " \
        "the others are paused " \
        "meanwhile. Ratios are taken round by round. CPU is the server's, not the database peer's nor wrk's."
    end

    def notes
      [
        "\"none again\" is the same as \"none\": their difference is the noise, and a ratio within it " \
        "says nothing. A machine this small can't separate 0.2 %; the claims rest on the tables before.",
        "perfm writes its rows to the application's SQLite, as its README says. vernier profiles all the " \
        "time. Holdup is all on: Railtie, Puma plugin, segment, ticker, collector.",
        format("Holdup's collector ran %.2f %% of a core meanwhile.", collector)
      ]
    end

    def collector
      samples = @samples["holdup"]
      samples.sum(&:collector_s) / samples.sum(&:seconds) * 100
    end
  end
end
