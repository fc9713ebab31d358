# frozen_string_literal: true

require "json"

module Holdup
  module View
    # A report for programs. docs/guide/report.md documents the keys; they are stable, new ones may be added.
    class Json
      # Formats that all JSON output shares.
      module Values
        private

        # @param seconds [Integer, nil] since 1970
        # @return [String, nil] "2026-11-21T12:00:00Z"
        def time(seconds)
          seconds && Time.at(seconds, in: "UTC").strftime("%FT%TZ")
        end

        # @param ns [Integer, nil] since 1970
        # @return [String, nil] the same
        def time_of_ns(ns)
          ns && time(ns / NS)
        end

        def difference(one)
          {subject: one.subject, facts: one.facts.transform_values { |before, after| {before:, after:} }}
        end

        # @return [String, nil] without terminal control characters
        def clean(text)
          text && Width.clean(text)
        end
      end

      include Values

      SCHEMA = 1
      HISTOGRAMS = Window::HISTOGRAMS
      # What other figures are made of: allocations, and the hold that a thread meets.
      INNER_SUMS = %i[hold_squares_us2 objects objects_own_ns objects_others_ns malloc_bytes slot_bytes
        slot_objects].freeze
      SUMS = (Window::SUMS - INNER_SUMS).freeze
      QUANTILES = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99}.freeze

      # @return [Array<Symbol>] parts of the summary that it needs: all that a report reads
      def self.parts(summary)
        [:coverage, *summary.parts_of_machines, :pairs, :connection_pairs, :locks, :calls, :transactions,
          :repeats, :holding_methods, :slowest]
      end

      # @param words [Words] for the verdict's sentence
      # @param drifts [Array<Hash>] effects of the last change of settings
      # @param uncollected [#units, #at_ns, #collecting, nil] what is not stored yet
      def initialize(summary, words: Words.new, drifts: [], marks: [], uncollected: nil)
        @summary = summary
        @words = words
        @drifts = drifts
        @marks = marks
        @uncollected = uncollected
      end

      # @return [String] ends with a newline
      def call
        "#{JSON.pretty_generate(to_h)}\n"
      end

      def to_h
        {schema: SCHEMA, from: time(@summary.from_s), to: time(@summary.to_s), by: @summary.by, uncollected:,
         verdict:, drifts: @drifts, marks:, settings:, totals:,
         series: @summary.rows.map { |row| series(row) }, calls:, transactions:,
         repeated_queries:,
         methods: holding_methods,
         slowest: SlowUnitValues.new(@summary.slowest).to_a,
         **Machine.new(@summary).to_h,
         jit: Jit.new(@summary.jits).to_a}
      end

      private

      def uncollected
        at_ns = @uncollected&.at_ns
        @uncollected && {units: @uncollected.units, stored_up_to: at_ns && time(at_ns / 1_000_000_000),
                         collector: @uncollected.collecting}
      end

      def verdict
        {key: Analysis::StallVerdict.new(@summary).call.key,
         text: Headline.new(@summary, words: @words).verdict}
      end

      def marks
        @marks.map { |mark|
          {at: time(mark.at_s), server: clean(mark.server), deployed: mark.deployed?,
           changed: mark.differences.map { |one| difference(one) }}
        }
      end

      def settings
        @summary.setting_names.settings.map { |setting|
          {fingerprint: setting.fingerprint, attributes: setting.attributes}
        }
      end

      def totals
        {measured_from: time(@summary.measured_from_s), measured_to: time(@summary.measured_to_s),
         measured_s: @summary.measured_s.round(3), per_second: @summary.throughput,
         **figures(@summary.total), handoff_ns: @summary.blame.handoff_ns,
         accounts:, amdahl:}
      end

      def accounts
        @summary.blame.accounts.map do |line|
          {name: clean(line.name), suffered_ns: line.suffered, caused_ns: line.caused,
           running_ns: line.running}
        end
      end

      def amdahl
        share = @summary.total.idle_share
        share ? Analysis::Amdahl.table(share).map { |line|
          {threads: line.threads,
           speed_up: line.speed_up.round(4)}
        } : []
      end

      def series(row)
        {name: clean(row.name), kind: row.kind, queue: row.queue && clean(row.queue), **figures(row),
         **peak(row)}
      end

      def peak(row)
        peak = @summary.memory_peaks[row.name]
        {peak_bytes: peak&.bytes, peak_live_bytes: peak&.live_bytes, peak_mean_bytes: peak&.mean_bytes&.round,
         peak_watched: peak&.watched}
      end

      def calls
        @summary.calls.map do |unit|
          {name: clean(unit.name), units: unit.units, io_ns: unit.io_ns, other_io_ns: unit.other_io_ns,
           systems: unit.lines.map { |line| call_line(line) }}
        end
      end

      def call_line(line)
        {system: clean(line.system), target: clean(line.target), count: line.count,
         errors: line.window.errors, elapsed_ns: distribution(line.elapsed, line.count),
         remote_ns: distribution(line.remote, line.count), stalled_ns: line.stalled_ns, gc_ns: line.gc_ns,
         ruby_ns: line.ruby_ns, misleading: line.misleading?}
      end

      def transactions
        @summary.transactions.map do |line|
          {name: clean(line.name), units: line.units, database: clean(line.target), count: line.count,
           rolled_back: line.rolled_back, open_ns: distribution(line.open, line.count),
           database_ns: line.database_ns, other_calls_ns: line.other_calls_ns,
           other_waits_ns: line.other_waits_ns, stalled_ns: line.stalled_ns, starved_ns: line.starved_ns,
           ruby_ns: line.ruby_ns, other_calls: line.other_calls.map { |call| call_line(call) }}
        end
      end

      def repeated_queries
        @summary.repeated_queries.map do |query|
          {name: clean(query.name), units: query.units, place: clean(query.place), count: query.window.count,
           share: query.share.round(4), elapsed_ns: query.elapsed_ns, remote_ns: query.remote_ns,
           stalled_ns: query.stalled_ns, gc_ns: query.gc_ns, ruby_ns: query.ruby_ns}
        end
      end

      def holding_methods
        sampled_ns = @summary.holding_methods.sum(&:caused_ns)
        @summary.holding_methods.map do |line|
          {name: clean(line.name), account: line.account, method: clean(line.label), path: clean(line.path),
           line: line.line, called: clean(line.called), share: line.caused_ns.fdiv(sampled_ns).round(4),
           caused_ns: line.caused_ns, gc_ns: line.gc_ns, native_ns: line.native_ns, samples: line.samples,
           revisions: line.revisions.map { |under| under_revision(under) }}
        end
      end

      def under_revision(under)
        {revision: clean(under.revision), units: under.units, caused_ns: under.caused_ns,
         each_ns: under.each_ns.round, samples: under.samples}
      end

      def figures(row)
        {count: row.count, errors: row.errors, **distributions(row),
         **sums(row),
         idle_share: row.idle_share&.round(4), idle_and_stall_share: row.idle_and_stall_share&.round(4),
         **memory(row), capacity_share: @summary.capacity_share(row)&.round(4), groups: groups(row)}
      end

      # Where the CPU time is unknown, native is a part of io.
      def sums(row)
        sums = SUMS.to_h { |key| [key, row.sum(key)] }
        row.window.cpu_unknown? ? sums.merge(cpu_ns: nil, starved_ns: nil, native_ns: nil) : sums
      end

      def memory(row)
        allocations = @summary.allocations
        within = allocations.objects_within(row)
        {objects: within&.value&.round, objects_least: within&.least&.round,
         objects_most: within&.most&.round, objects_certainty: allocations.certainty(row)&.round(4),
         allocated_bytes: allocations.bytes(row)&.round, gc_caused_ns: allocations.gc_caused_ns(row)&.round}
      end

      def distributions(row)
        HISTOGRAMS.to_h { |key| [:"#{key}_ns", distribution(row.histogram(key), row.count)] }
      end

      # A value that is unknown for every unit has no sum.
      def distribution(histogram, units)
        sum = histogram.sum unless histogram.count.zero? && units.positive?
        {sum:, mean: histogram.mean&.round, **QUANTILES.transform_values { |q| histogram.quantile(q) },
         max: histogram.max}
      end

      def groups(row)
        Analysis::HistogramBands::QuantileBands::BANDS.transform_values do |band|
          means = %i[wall running idle stalled].to_h do |key|
            [:"#{key}_ns", Analysis::HistogramBands::QuantileBands.mean(row.histogram(key), *band)&.round]
          end
          {count: Analysis::HistogramBands::QuantileBands.size(row.histogram(:wall), *band), **means}
        end
      end

      # The slowest requests and jobs one by one, with what each waited for.
      class SlowUnitValues
        include Values

        # Of a request or job; cpu_ns and starved_ns are running_ns.
        IDLE = %i[io_ns lock_ns sleep_ns native_ns pool_wait_ns].freeze

        # @param kept [Queries::SlowestUnitsQuery::KeptUnits, nil]
        def initialize(kept)
          @units = kept ? kept.units : []
        end

        def to_a
          @units.map do |explained|
            slow = explained.slow
            waits = {waited_for: slow.parts.map { |part| part(part) },
                     chain: explained.chain.links.map { |link| link(link) }}
            {**unit(slow.unit), id: clean(slow.id), **slow.to_h.slice(*IDLE), **waits}
          end
        end

        private

        def unit(unit)
          {name: clean(unit.series.name), kind: unit.series.kind, queue: clean(unit.series.queue),
           started: time_of_ns(unit.start_ns), host: clean(unit.host), pid: unit.process.pid,
           trace: unit.trace, wall_ns: unit.wall_ns, running_ns: unit.running_ns,
           on_cpu_ns: unit.cpu_ns, stalled_ns: unit.stalled_ns, idle_ns: unit.idle_ns,
           queued_ns: unit.queued_ns}
        end

        def part(part)
          {kind: part.kind, name: clean(part.name), ns: part.ns}
        end

        def link(link)
          {waiter: clean(link.waiter), kind: link.kind, wait_ns: link.wait_ns, held_by: clean(link.holder),
           held_ns: link.held_ns, method: link.place && clean(link.place.label),
           path: link.place && clean(link.place.path), line: link.place&.line}
        end
      end

      # The part of the JSON from samples of processes, and who stalled whom.
      class Machine
        include Values

        def initialize(summary)
          @summary = summary
        end

        def to_h
          {pairs:, pool_pairs:, lock_pairs:, lock_places:, machines:, pools:, pool_cpu:, processes:}
        end

        private

        # @return [Array<Hash>, nil] nil where units waited, and nothing recorded for whom
        def pairs
          return unless @summary.pairs_recorded?
          @summary.pairs.map do |pair|
            {causer: series(pair.causer), victim: series(pair.victim), stall_ns: pair.ns,
             share: pair.share.round(4)}
          end
        end

        # @return [Array<Hash>, nil] likewise
        def pool_pairs
          waits(@summary.connection_pairs) if @summary.connection_pairs_recorded?
        end

        def lock_pairs = waits(@summary.lock_pairs)

        def waits(pairs)
          pairs.map do |pair|
            {causer: series(pair.causer), victim: series(pair.victim), wait_ns: pair.ns,
             share: pair.share.round(4)}
          end
        end

        def lock_places
          @summary.lock_waits.places.map do |place|
            {name: clean(place.name), place: clean(place.location), method: clean(place.label),
             primitive: place.primitive && clean(place.primitive), wait_ns: place.wait_ns,
             ended_ns: place.ended_ns, samples: place.samples}
          end
        end

        def series(series)
          {name: clean(series.name), kind: series.kind, queue: series.queue && clean(series.queue)}
        end

        def machines
          @summary.machines.map do |machine|
            {host: clean(machine.host), vcpus: machine.vcpus, processes: machine.processes,
             cpu_share: machine.cpu_share&.round(4), ceiling: ceiling(machine.ceiling),
             throttled_share: machine.throttled_share&.round(4), throttled_ns: machine.throttled_ns,
             memory_bytes: machine.memory_bytes,
             memory_limit_bytes: machine.memory_limit_bytes}
          end
        end

        def ceiling(ceiling)
          ceiling &&
            {low: ceiling.low.round(4), high: ceiling.high.round(4), idle_vcpus: ceiling.idle_vcpus.round(4),
             native_ratio: ceiling.native_ratio.round(4), processes_needed: ceiling.processes_needed}
        end

        def pools
          @summary.processes.pools.map do |pool|
            {server: pool.server && clean(pool.server), name: clean(pool.name), processes: pool.size.round(2),
             max: pool.max&.round(2), busy: pool.busy&.round(2),
             backlog: pool.backlog&.round(2), most_backlog: pool.most_backlog, oldest_ns: pool.oldest_ns}
          end
        end

        def pool_cpu
          @summary.pool_cpu.map do |line|
            {server: line.server && clean(line.server), kind: line.kind, name: line.name && clean(line.name),
             units: line.units, cpu_share: line.cpu_share.round(4)}
          end
        end

        def processes
          @summary.processes.members.map do |member|
            {host: clean(member.host), pid: member.pid, name: clean(member.name),
             server: member.server && clean(member.server), generation: member.generation,
             setting: member.setting, from: time(member.from_s), to: time(member.to_s),
             cpu_share: member.cpu_share&.round(4), waiting_share: member.waiting_share&.round(4),
             waiting_threads: member.waiting&.round(2), gc_share: member.gc_share&.round(4),
             age_s: member.age_s,
             rss_bytes: member.rss_bytes, pss_bytes: member.pss_bytes, uss_bytes: member.uss_bytes,
             redis_rtt_ns: member.redis_rtt_ns, pools: member.pools.map(&:to_h)}
          end
        end
      end

      # The part of the JSON about the JIT: for each server, and for each of its processes a time line.
      class Jit
        include Values

        # Ages in seconds at which the warm-up is reported.
        AGES_S = [60, 120, 300, 600, 1800, 3600, 14_400].freeze
        # Medians over the processes with a JIT.
        MEDIANS = %i[code_bytes metadata_bytes memory_bytes limit_bytes threshold compiled_iseqs live_iseqs
          invalidations redefined failures code_gcs].freeze
        LISTS = %i[kind by at limit_of limit_from].freeze

        def initialize(jits)
          @jits = jits
        end

        def to_a
          @jits.servers.map { |server| server(server) }
        end

        private

        def server(server)
          {server: clean(server.name), processes: server.present.size, on: server.on.size,
           since: time_of_ns(server.since_ns), saturated: server.saturated,
           **LISTS.to_h { |key| [key, server.all(key).map { |text| clean(text) }] },
           **MEDIANS.to_h { |key| [key, server.median { |life| life.facts.public_send(key) }] },
           **warmth(server), ended: server.ended.size, units_per_life: server.units_per_life,
           killer: server.killer&.to_h, lives: server.lives.map { |life| life(life) }}
        end

        def warmth(server)
          seconds = server.median(&:warm_after_s)
          {warm: server.warm, warm_after_ns: seconds && seconds * NS,
           warm_after_units: server.median(&:warm_after_units),
           warm_up: server.warm_up(AGES_S).map { |age_s, count|
             {age_ns: age_s * NS,
              interpreted_per_unit: count.round(1)}
           },
           compiling: server.compiling(AGES_S).map { |age_s, count|
             {age_ns: age_s * NS,
              compiled_per_unit: count.round(4)}
           }}
        end

        def life(life)
          {host: clean(life.host), pid: life.trail[:pid], name: clean(life.name), on: life.facts.on?,
           units: life.units, age_ns: life.age_s * NS,
           rss_bytes: life.rss_bytes, effective: life.facts.effective, stats: life.facts.stats,
           events: life.events.map { |event, at_s| {event:, at: time(at_s)} }}
        end
      end
    end
  end
end
