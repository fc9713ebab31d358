# frozen_string_literal: true

module Holdup
  module Advise
    # Table of the examined settings, ordered by threads; limited rows keep the most relevant ones.
    class AdviceTable
      LIMIT = 14
      # Shows a time slice or io threads when waiting falls to this share.
      WORTH = 0.95
      NOW = " *"
      BEST = " <-"

      # @param result [Sizing::AdviceResult, nil]
      # @param limit [Integer] rows
      def initialize(result, words:, limit: LIMIT)
        @result = result
        @words = words
        @limit = limit
        @figures = AdviceFigures.new(words)
      end

      # @return [View::Section, nil] nil without a verdict
      def section
        return if @result.nil? || @result.verdict == :unknown
        rows = shown.flat_map { |prediction| rows_of(prediction) }
        View::Section.new(title: word(:table), columns:, rows:,
          notes: [word(@result.measured? ? :marks_measured : :marks), *left_out])
      end

      private

      def word(key, **facts)
        @words.call(:"advice_#{key}", **facts)
      end

      # The present setting as it was measured, and below it what its replay says.
      def rows_of(prediction)
        return [row(prediction)] unless prediction.candidate == now && @result.measured?
        [row(@result.measured), row(prediction, word(:row_replayed))]
      end

      def columns
        [word(:setting_column), word(:ceiling_column), word(:used), word(:queued), word(:stalled), "p50",
          "p95", "p99", *(word(:memory) if memory?),
          word(:connections), word(:binds)]
      end

      def row(prediction, name = name(prediction))
        [name, View::Figures.rate(prediction.ceiling), percent([prediction.utilisation, 1].min),
          milliseconds(prediction.queued_ns),
          milliseconds(prediction.stalled_ns),
          *[0.5, 0.95, 0.99].map { |at| milliseconds(prediction.responses[at]) },
          *(View::Figures.bytes(prediction.memory_bytes) if memory?),
          View::Figures.count(prediction.connections),
          @figures.guards(prediction.guards.first(1))]
      end

      def percent(share)
        "#{(share * 100).round} %"
      end

      # All in one unit: narrow columns that compare at a glance.
      def milliseconds(value)
        value ? View::Figures.rate(value / 1e6) : View::Figures::NONE
      end

      def name(prediction)
        slice = prediction.candidate.time_slice_ns != now.time_slice_ns
        "#{@figures.setting(prediction.candidate,
          slice:)}#{NOW if prediction.candidate == now}#{BEST if advised?(prediction)}"
      end

      def advised?(prediction)
        @result.verdict == :change && prediction.candidate == @result.best.candidate
      end

      def now = @result.now

      def memory?
        !@result.limits.process_bytes.nil?
      end

      def shown
        @shown ||= begin
          main, others = @result.predictions.partition { |one|
            [now, @result.best&.candidate].include?(one.candidate) || pareto.include?(one)
          }
          rejected = others.reject(&:allowed?).min_by(@limit / 4) { |one| distance(one) }
          plain, variants = others.select(&:allowed?).partition { |one|
            plain(one.candidate) == one.candidate
          }
          by_io_threads = variants.select { |one| shorter?(one) }.group_by { |one| one.candidate.io_threads }
          better = by_io_threads.values.flat_map { |same| same.min_by(1) { |one| wait(one) } }
          room = [@limit - main.size - rejected.size - better.size, 0].max
          near = plain.min_by(room) { |one| [distance(one), wait(one)] }
          @result.predictions & (main + rejected + better + near)
        end
      end

      # Settings that no other one beats: less waiting takes more threads or processes.
      def pareto
        @pareto ||= begin
          judged = @result.predictions.select { |one|
            one.allowed? && one.replayed? && plain(one.candidate) == one.candidate
          }
          judged.reject { |one| judged.any? { |other| @result.objective.beats?(other, one) } }
        end
      end

      def plain(candidate)
        candidate.with(time_slice_ns: now.time_slice_ns, io_threads: now.io_threads)
      end

      def shorter?(variant)
        plain = @result.predictions.find { |one| one.candidate == plain(variant.candidate) }
        plain && wait(variant) < WORTH * wait(plain)
      end

      def wait(prediction)
        prediction.waits.fetch(@result.objective.slo.percentile, 0)
      end

      # Threads to change; a process counts as two.
      def distance(prediction)
        candidate = prediction.candidate
        (candidate.threads - now.threads).abs + 2 * (candidate.processes - now.processes).abs
      end

      def left_out
        hidden = @result.predictions.size - shown.size
        hidden.positive? ? [word(:left_out, count: View::Figures.count(hidden))] : []
      end

      # The thread pools that share a process, now and as advised: a change of one affects the others.
      class Pools
        # @param result [Sizing::AdviceResult, nil]
        def initialize(result, words:)
          @result = result
          @words = words
        end

        # @return [View::Section, nil] nil with a single pool or without a verdict
        def section
          return if @result.nil? || @result.pools.empty?
          View::Section.new(title: word(:pools),
            columns: %i[pool pool_threads pool_rate stalled pool_wall].map { |key| word(key) }, rows:,
            notes: [word(@result.recording.concurrent_units ? :pools_concurrent_units : :pools_note)])
        end

        private

        def word(key) = @words.call(:"advice_#{key}")

        def rows
          @result.pools.map { |pool| [View::Width.clean(pool.name), *cells(sides(pool))] }
        end

        def sides(pool)
          (@result.verdict == :change) ? [pool.current, pool.best] : [pool.current]
        end

        def cells(sides)
          return [View::Figures::NONE] * 4 unless sides.all?
          [both(sides, &:threads), both(sides) { |one| View::Figures.rate(one.throughput) },
            *%i[stalled_ns wall_ns].map { |time| both(sides) { |one| milliseconds(one.public_send(time)) } }]
        end

        def both(sides)
          sides.map { |one| yield(one).to_s }.uniq.join(" -> ")
        end

        def milliseconds(value) = View::Figures.rate(value / 1e6)
      end

      # Processes that the jobs of each queue need to begin in time.
      class Deadlines
        COLUMNS = %i[queue jobs_rate jobs_peak process_rate queued processes].freeze

        # @param deadlines [Sizing::JobDeadlines::DeadlineNeeds]
        # @param limit [Integer] rows
        def initialize(deadlines, words:, limit:)
          @deadlines = deadlines
          @words = words
          @limit = limit
        end

        # @return [View::Section]
        def section
          within = View::Figures.duration(@deadlines.within_s * 1_000_000_000)
          View::Section.new(title: word(:deadlines, within:),
            columns: COLUMNS.map { |key| word(:"deadlines_#{key}") }, rows:,
            notes: [word(:deadlines_note, all: format("%.1f", @deadlines.processes),
              needed: @deadlines.processes.ceil, now: @deadlines.now)])
        end

        private

        def word(key, **facts) = @words.call(:"advice_#{key}", **facts)

        def rows
          @deadlines.queues.first(@limit).map do |need|
            [View::Width.clean(need.queue || View::Figures::NONE),
              *%i[rate peak_rate process_rate].map { |figure|
                View::Figures.rate(need.public_send(figure))
              }, View::Figures.duration(need.waited_ns), format("%.1f", need.processes)]
          end
        end
      end

      # The present fleet, the cheapest one that keeps the SLO, and what published defaults would need.
      class Fleets
        COLUMNS = %i[fleet_hosts fleet_vcpus setting_column memory].freeze

        # @param fleet [Sizing::CheapestFleet::FleetComparison]
        def initialize(fleet, words:)
          @fleet = fleet
          @words = words
          @figures = AdviceFigures.new(words)
        end

        # @return [View::Section, nil] nil where no fleet was asked for, or there is no valid replay
        def section
          return unanswered if @fleet.reason
          title = word(:fleet, percentile:, limit: View::Figures.duration(@fleet.slo.limit_ns))
          columns = ["", *COLUMNS.map { |key| word(key) }, percentile, word(:fleet_price)]
          View::Section.new(title:, columns:,
            rows: [row(:now, @fleet.now), row(:best, @fleet.best), *defaults],
            notes: [saving, *@fleet.defaults.map { |default| comparison(default) }, word(:fleet_note)])
        end

        # @return [Array<String>] what it costs, without a table; empty where that is unknown
        def sentences
          return [] if @fleet.reason
          offers = {now: @fleet.now, best: @fleet.best}.transform_values { |offer| offered(offer) }
          [saving, word(:fleet_offers, **offers), word(:fleet_note)]
        end

        private

        # @return [String] "4 hosts with 2 vCPUs, 2 x 3, at 0.4000 an hour"
        def offered(offer)
          word(:fleet_offer, hosts: offer.hosts, vcpus: vcpus(offer.vcpus), price: price(offer),
            setting: @figures.setting(offer.candidate))
        end

        def word(key, **facts) = @words.call(:"advice_#{key}", **facts)

        def percentile = @fleet.slo.name

        # What makes advice impossible is said above.
        def unanswered
          return unless %i[no_slo slo_out_of_reach].include?(@fleet.reason)
          View::Section.new(title: word(:fleet_none), columns: [], rows: [],
            notes: [word(:"fleet_#{@fleet.reason}")])
        end

        def row(name, offer)
          return [word(:"fleet_#{name}"), *[View::Figures::NONE] * (COLUMNS.size + 2)] unless offer
          [word(:"fleet_#{name}"), View::Figures.count(offer.hosts), vcpus(offer.vcpus),
            @figures.setting(offer.candidate), View::Figures.bytes(offer.prediction.memory_bytes),
            View::Figures.duration(response(offer.prediction)), price(offer)]
        end

        def defaults
          @fleet.defaults.map { |default| row(default.name, default.needed) }
        end

        # An hour of a small fleet costs a fraction of a coin.
        def price(offer) = format((offer.price_hour < 10) ? "%.4f" : "%.2f", offer.price_hour)

        def vcpus(count) = (count % 1).zero? ? count.to_i.to_s : View::Figures.rate(count)

        def response(prediction) = prediction.responses[@fleet.slo.percentile]

        def saving
          share = @fleet.saving
          return word(:fleet_saving, share: View::Figures.share(share)) if share.positive?
          share.zero? ? word(:fleet_same) : word(:fleet_dearer, share: View::Figures.share(-share))
        end

        # Why it is not the default: where requests wait there instead.
        def comparison(default)
          best = @fleet.best.prediction
          facts = {name: word(:"fleet_#{default.name}"), threads: default.threads, percentile:}
          return word(:fleet_default_same, **facts) if default.there.candidate == best.candidate
          instead = times(best).transform_keys { |key| :"best_#{key}" }
          word(:fleet_default, **facts, **times(default.there), **instead)
        end

        def times(prediction)
          {response: View::Figures.duration(response(prediction)),
           queued: View::Figures.duration(prediction.queued_ns),
           stalled: View::Figures.duration(prediction.stalled_ns)}
        end
      end

      # The current setting, measured and replayed: shows how large the error of the other rows may be.
      class SelfTest
        COLUMNS = %i[advice_self_test_figure verify_measured verify_predicted verify_error].freeze

        # @param result [Sizing::AdviceResult, nil]
        def initialize(result, words:)
          @result = result
          @words = words
          @figures = AdviceFigures.new(words)
        end

        # @return [View::Section, nil] nil without a replay
        def section
          return unless tested?
          View::Section.new(title: @words.call(:advice_self_test, grade: test.grade.to_s.upcase),
            columns: COLUMNS.map { |key| @words.call(key) }, rows:,
            notes: [@words.call(:advice_self_test_note)])
        end

        private

        # The table is also shown when its failure is the reason for giving no advice.
        def tested?
          !@result.nil? && [nil, :self_test].include?(@result.reasons.first)
        end

        def test = @result.self_test

        def rows
          waits = test.measured.queued_ns ? :verify_wait : :verify_wait_unqueued
          [times(:verify_response, :response, &:response_ns), times(:verify_p95, :p95, &:p95_ns),
            times(waits, :wait) { |one| one.queued_ns.to_i + one.stalled_ns },
            [@words.call(:whatif_used), *both { |one|
              View::Figures.share(one.utilisation)
            }, off(:utilisation)],
            *saturated, *peak]
        end

        # The row exists only if the setting was saturated.
        def saturated
          return [] unless test.errors.key?(:throughput)
          title = @words.call(test.refuted ? :verify_refuted : :verify_saturated)
          [[title, *both { |one| View::Figures.rate(one.throughput) }, off(:throughput)]]
        end

        # The row exists only if the replay of the peak contradicts it.
        def peak
          found = test.peak or return []
          figures = [found.measured_ns, found.replayed_ns].map { |ns| View::Figures.duration(ns) }
          [[@words.call(:verify_peak), *figures, off(:peak)]]
        end

        def times(title, error)
          [@words.call(title), *both { |one| View::Figures.duration(yield one) }, off(error)]
        end

        def both
          [test.measured, test.predicted].map { |one| yield one }
        end

        def off(error)
          @figures.signed(test.errors.fetch(error))
        end
      end
    end
  end
end
