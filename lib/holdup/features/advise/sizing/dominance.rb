# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What is certain of other settings although a replay does not match what was measured: each is replayed
      # at the peak with many explanations of the recording (Explanation), drawn from what fits it and
      # weighted by how well they reproduce it. What nearly all of them agree on is said.
      #
      # All settings see the same requests in each explanation, so that their differences are no chance. A
      # setting is replayed until its answer is certain, or can't become so, and at most EVENTS events are
      # replayed. Pure: the same recording and seed, the same answer.
      class Dominance
        # Share of the explanations that has to agree.
        SURE = 0.9
        # Settings that differ by less of the response are alike.
        ALIKE = Recommendation::HYSTERESIS
        # Explanations are drawn so many at a time until they are worth ENOUGH equally likely ones, but at
        # most MOST. From fewer than LEAST nothing is said.
        DRAWN = 40
        LEAST = 20
        ENOUGH = 30
        MOST = 160
        # Explanations with which settings are compared, at most, and after how many each is looked at.
        COMPARED = 100
        STEP = 10
        EVENTS = 10_000_000
        # Share of the events for finding explanations.
        FITTING = 0.4
        # Standard deviations: one-sided 90 % of a normal distribution.
        NORMAL = 1.282
        # Threads and further processes that are tried.
        THREADS = [1, 2, 3, 5, 8, 12, 16, 24, 32].freeze
        MORE_PROCESSES = [-1, 0, 1].freeze
        # Causes of a mismatch that no explanation describes.
        BEYOND = %i[overload waits_for_answers unlike_threads resource_waits peak_contradicted].freeze
        # Guards that do not depend on what is uncertain.
        HARD = %i[memory db_connections db_pool].freeze

        # A setting against the present one. `better`, `worse`, `alike`: in how many of the `compared`
        # explanations it waits for less, for more, and by at most ALIKE more or less; `helping`: by more than
        # ALIKE less; `gain`: 90 % of its gains, as shares of the response
        ComparedSetting = Data.define(:candidate, :compared, :better, :worse, :alike, :helping, :gain) do
          # @param gains [Array<Float>] in each explanation
          def self.of(candidate, gains)
            new(candidate:, compared: gains.size, better: gains.count(&:positive?),
              worse: gains.count(&:negative?), alike: gains.count { |gain| gain.abs <= ALIKE },
              helping: gains.count { |gain| gain > ALIKE },
              gain: Sufficiency::RecordingBootstrap.middle(gains))
          end

          # @return [Symbol] :alike, :better, :worse, :no_gain (it may be worse or as good) or :unknown
          def answer
            return :alike if sure?(alike)
            return :better if sure?(better)
            return :worse if sure?(worse)
            sure?(compared - helping) ? :no_gain : :unknown
          end

          # Whether further explanations would hardly change the answer: it is certain, or can't become so.
          def settled?
            counts = [alike, better, worse, compared - helping]
            bounds = counts.map { |count| AgreedShare.bounds(count, compared) }
            bounds.any? { |low, _| low >= SURE } || bounds.all? { |_, high| high < SURE }
          end

          private

          def sure?(count) = count >= SURE * compared
        end

        # The share of all explanations, of which some were tried.
        module AgreedShare
          # @return [Array(Float, Float)] one-sided 90 % each. Source: Wilson's score interval (1927)
          def self.bounds(count, all)
            square = NORMAL**2
            share = count.fdiv(all)
            spread = NORMAL * Math.sqrt((share * (1 - share) + square / (4 * all)) / all)
            [-spread, spread].map { |one| (share + square / (2 * all) + one) / (1 + square / all) }
          end
        end

        # More threads than these, of as many processes, gain at most ALIKE: in `count` of the `compared`
        # explanations.
        EnoughThreads = Data.define(:candidate, :count, :compared)

        # - `now`: Candidate; `settings`: ComparedSetting of each other one; `enough`: EnoughThreads or nil
        # - `tried`: explanations that were drawn; `effective`: equally likely ones that would say as much;
        #   `events`: that were replayed; `percentile`: of the waits that are compared
        DominanceResult = Data.define(:now, :settings, :enough, :tried, :effective, :events, :percentile) do
          # @return [ComparedSetting, nil] what gains most of all that are better, of those about as good the
          #   smallest change
          def best
            better = settings.select { |one| one.answer == :better }
            most = better.map { |one| middle(one) }.max
            tied = better.select { |one| middle(one) >= most - Objective::TIE }
            tied.min_by { |one| one.candidate.effort(now) }
          end

          # Whether no setting is worth a change.
          def keep? = settings.any? && settings.all? { |one| %i[alike worse no_gain].include?(one.answer) }

          # @return [Array<ComparedSetting>] of as many processes, that wait about as long
          def alike
            settings.select { |one| one.answer == :alike && one.candidate.processes == now.processes }
          end

          # Whether it says anything.
          def decided? = !best.nil? || keep? || !enough.nil? || alike.any?

          private

          def middle(one) = (one.gain.begin + one.gain.end) / 2
        end

        # @param draws [#draw] of explanations
        # @param fit [ExplanationFit]
        # @param replays [ExplanationReplays]
        # @param candidates [Array<Candidate>] the present one is not among them
        # @param objective [Objective] of latency
        def initialize(draws:, fit:, replays:, candidates:, now:, objective:, seed: 1,
          cpus: Replay.half_of_cpus)
          @draws = draws
          @fit = fit
          @replays = replays
          @candidates = candidates
          @now = now
          @objective = objective
          @seed = seed
          @cpus = cpus
        end

        # @return [DominanceResult, nil] nil if nothing is certain
        def call
          return if @candidates.empty?
          weights = fitted
          return if ExplanationFit.effective(weights) < LEAST
          gains = compared(weights)
          found = DominanceResult.new(now: @now, tried: @explanations.size, events: @replays.events,
            settings: gains.map { |candidate, all| ComparedSetting.of(candidate, all) },
            enough: ThreadLimit.new(gains, now: @now).call,
            effective: ExplanationFit.effective(weights), percentile: @objective.slo.percentile)
          found if found.decided?
        end

        private

        # Draws explanations until enough of them fit.
        # @return [Array<Float>] weight of each
        def fitted
          @explanations = []
          logarithms = []
          until logarithms.size >= MOST || @replays.events > FITTING * EVENTS
            DRAWN.times do
              @explanations << @draws.draw
              figures, units = @replays.recorded(@explanations.last, logarithms.size)
              logarithms << @fit.call(figures, units:)
            end
            weights = ExplanationFit.weights(logarithms)
            break if ExplanationFit.effective(weights) >= ENOUGH
          end
          weights
        end

        # @return [Hash{Candidate => Array<Float>}] gains in each explanation that it was compared in
        def compared(weights)
          gains = @candidates.to_h { |candidate| [candidate, []] }
          open = @candidates
          drawn = ExplanationFit.draw(weights, COMPARED, Random.new(@seed)).each_slice(STEP)
          drawn.with_index do |indices, turn|
            add(gains, open, indices.map { |index| @explanations[index] }, STEP * turn)
            next if STEP * (turn + 1) < LEAST
            open = open.reject { |candidate| ComparedSetting.of(candidate, gains[candidate]).settled? }
            break if open.empty? || @replays.events > EVENTS
          end
          gains
        end

        # @param first [Integer] number of the first of these explanations
        def add(gains, open, explanations, first)
          settings = [@now, *open]
          rounds = explanations.each_with_index.flat_map do |explanation, index|
            requests = @replays.requests(explanation, first + index)
            settings.map { |candidate| [candidate, requests, explanation] }
          end
          peaks = Replay.at_once(rounds, cpus: @cpus) { |round| @replays.call(*round) }
          peaks.each_slice(settings.size) do |current, *others|
            open.zip(others) { |candidate, other| gains[candidate] << gain(current, other) }
          end
        end

        def gain(current, other)
          (current.wait_ns - other.wait_ns).fdiv([current.response_ns, 1].max)
        end

        # From how many threads on more of them gain nothing.
        class ThreadLimit
          # @param gains [Hash{Candidate => Array<Float>}] against the present setting
          def initialize(gains, now:)
            same = gains.select { |candidate, _| candidate.processes == now.processes }
            @compared = same.values.map(&:size).min.to_i
            zeros = Array.new(@compared, 0.0)
            all = {**same, now => zeros}.sort_by { |candidate, _| candidate.threads }
            @gains = all.map { |candidate, each| [candidate, each.first(@compared)] }
          end

          # @return [EnoughThreads, nil]
          def call
            return if @compared < LEAST
            @gains.each_cons(2).with_index do |((candidate, _), _), index|
              count = count(index)
              return EnoughThreads.new(candidate:, count:, compared: @compared) if sure?(count)
            end
            nil
          end

          private

          # The first of several numbers of threads that passes: chance has more than one try.
          def sure?(count) = AgreedShare.bounds(count, @compared).first >= SURE

          # Explanations in which no setting with more threads gains more than ALIKE against this one.
          def count(index)
            more = @gains.drop(index + 1).map(&:last)
            @gains[index].last.each_index.count do |number|
              more.all? { |each| each[number] - @gains[index].last[number] <= ALIKE }
            end
          end
        end
      end
    end
  end
end
