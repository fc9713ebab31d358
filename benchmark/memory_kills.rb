# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # Whether `holdup deaths` says that workers were killed for memory, and which endpoint is to blame, and
  # blames none where all of them grow.
  class MemoryKills
    RECORDINGS = 20
    KILLS = 10
    # Recordings at the same time. They mostly wait.
    LANES = 6
    SECONDS = 900
    RIGHT = 0.95
    TITLES = {"hog" => "grows until its worker is killed",
              "none" => "is like the others: all leave 1 MB behind for each request"}.freeze
    COLUMNS = ["one of ten endpoints", "recordings", "kills", "reason is out of memory",
      "it is what ran, or ran for longest", "recordings that name it first",
      "recordings that name another one first"].freeze

    # @param quick [Boolean] one recording of each kind
    def initialize(quick:)
      @count = quick ? 1 : RECORDINGS
    end

    # @return [Result]
    def call
      tasks = [*1..@count].product(TITLES.keys)
      found = in_lanes(tasks) { |seed, kind| [kind, Fresh.call("memory_kills", kind, KILLS, seed, **RUN)] }
      found = TITLES.keys.to_h { |kind| [kind, found.select { |one, _| one == kind }.map(&:last)] }
      Result.new(title: "Who is to blame when workers are killed for memory", about: about(found),
        tables: [ResultTable.new(COLUMNS, found.map { |kind, recordings| row(kind, recordings) })],
        budgets: budgets(found))
    end

    RUN = {options: [], seconds: SECONDS}.freeze
    private_constant :RUN

    private

    # @return [Array<Object>] what the block gives for each, in any order
    def in_lanes(tasks)
      queue = Queue.new(tasks).close
      lanes = Array.new(LANES) do
        Thread.new do
          done = []
          while (task = queue.pop)
            done << yield(*task)
          end
          done
        end
      end
      lanes.flat_map(&:value)
    end

    def about(found)
      kernel = found.values.flatten(1).all? { |one| one.fetch("by_kernel") }
      killer = kernel ? "The kernel kills in a control group" : "A process that does as the kernel kills"
      "Each recording is a Puma of two workers with ten endpoints, with clients that pause. #{killer}. " \
        "Deaths are eleven seconds apart at least, after half a minute to a minute and a half of load."
    end

    def row(kind, recordings)
      deaths = deaths(recordings)
      right = recordings.sum { |one| suspected(one) }
      first = recordings.map { |one| [one.fetch("hog"), one.fetch("culprits").first] }
      [TITLES.fetch(kind), recordings.size, recordings.sum { |one| one.fetch("kills") },
        deaths.count { |death| death.fetch("reason") == "oom" }, right,
        first.count { |hog, named| hog == named }, first.count { |hog, named| named && hog != named }]
    end

    def deaths(recordings) = recordings.flat_map { |one| one.fetch("deaths") }

    # @return [Integer] deaths of which the hog is said
    def suspected(recording)
      said = "#{recording.fetch("hog")} ("
      recording.fetch("deaths").count { |death| death.fetch("suspect").start_with?(said) }
    end

    def budgets(found)
      all = found.values.flatten(1)
      hogs, others = found.values_at("hog", "none")
      wrong = all.sum { |one| one.fetch("kills") } - deaths(all).count { |one| one.fetch("reason") == "oom" }
      missed = hogs.sum { |one| one.fetch("kills") - suspected(one) }
      unnamed = hogs.count { |one| one.fetch("culprits").first != one.fetch("hog") }
      [Budget.new(what: "Kills without the right reason", limit: 0, actual: wrong, unit: "kills"),
        missing("Kills that do not say the endpoint that grew", missed, deaths(hogs).size, "kills"),
        missing("Recordings that do not name it first", unnamed, hogs.size, "recordings"),
        Budget.new(what: "Recordings that name one where all grow", limit: 0,
          actual: others.count { |one| one.fetch("culprits").any? }, unit: "recordings")]
    end

    def missing(what, actual, of, unit)
      Budget.new(what: "#{what}, of #{of}", limit: (of * (1 - RIGHT)).round(2), actual:, unit:)
    end
  end
end
