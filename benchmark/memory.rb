# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # Whether Holdup names the endpoint that makes its process grow, and names none where none does.
  class Memory
    REQUESTS = 36_000
    # Recordings of each kind: see support/arms/memory.rb.
    RECORDINGS = {"leak" => 20, "temporary" => 7, "cache" => 7, "none" => 6}.freeze
    TITLES = {
      "leak" => "a constant that grows by 1 kB with each request",
      "temporary" => "20 MB in one request of twenty",
      "cache" => "a cache that fills once, with 200 entries of 10 kB",
      "none" => "nothing"
    }.freeze
    LEAK = "leak"
    MISSED = 0.05
    COLUMNS = ["one of ten endpoints has", "recordings", "it is named", "another one is named",
      "kept each, B: median (min..max)", "watched: median", "seconds: median"].freeze

    # @param quick [Boolean] one recording of each kind
    def initialize(quick:)
      @recordings = quick ? RECORDINGS.transform_values { 1 } : RECORDINGS
    end

    # @return [Result]
    def call
      found = @recordings.to_h do |kind, count|
        [kind, Array.new(count) { |seed| Fresh.call("memory", kind, REQUESTS, seed) }]
      end
      Result.new(title: "Which endpoint makes a process grow", about:,
        tables: [ResultTable.new(COLUMNS, found.map { |kind, recordings| row(kind, recordings) })],
        budgets: budgets(found), notes:)
    end

    private

    def about
      "Each recording is a fresh process with ten endpoints, drawn at random, that serves " \
        "#{REQUESTS} requests one after the other as fast as the machine can. Each request allocates 230 " \
        "objects. What is named comes from `holdup report --table memory`."
    end

    def notes
      ["After a request that was watched, there is a pause of 200 times what watching it took by estimate."]
    end

    def row(kind, recordings)
      each = recordings.flat_map { |one| own(one).map { |found| found.fetch("each") } }
      [TITLES.fetch(kind), recordings.size.to_s, recordings.count { |one| own(one).any? }.to_s,
        recordings.count { |one| others(one).any? }.to_s, each.empty? ? "-" : spread(each),
        median(recordings, "watched"), median(recordings, "seconds")]
    end

    def own(recording)
      recording.fetch("found").select { |one| one.fetch("name") == recording.fetch("special") }
    end

    def others(recording) = recording.fetch("found") - own(recording)

    def spread(values)
      spread = Spread.of(values)
      format("%d (%d..%d)", spread.median, spread.min, spread.max)
    end

    def median(recordings, key) = Spread.of(recordings.map { |one| one.fetch(key) }).median.round.to_s

    def budgets(found)
      leaks, calm = found.partition { |kind, _| kind == LEAK }.map { |part| part.flat_map(&:last) }
      missed = leaks.count { |one| own(one).empty? || others(one).any? }
      wrong = calm.count { |one| one.fetch("found").any? }
      [Budget.new(what: "Leaks of #{leaks.size} whose endpoint is not named, or not alone",
        limit: MISSED * leaks.size, actual: missed, unit: "recordings"),
        Budget.new(what: "Recordings of #{calm.size} without a leak that name an endpoint", limit: 0,
          actual: wrong, unit: "recordings")]
    end
  end
end
