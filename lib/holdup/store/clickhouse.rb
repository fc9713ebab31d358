# frozen_string_literal: true

module Holdup
  module Store
    # The store in a ClickHouse server (from 18.16 on), over HTTP: one store for a fleet.
    #
    # ClickHouse has no transactions, and takes rows without looking at those that it has. How a request still
    # counts once: CommitSession (commits), RollupSteps (roll-up), Upkeep (deletion).
    #
    # What it can't promise as the others do:
    #
    # - a long read is not of one moment, nor is a snapshot of more than Spans::SESSIONS. It asks for some
    #   windows after the other, and a commit that arrives meanwhile is in the later ones only
    # - `checkpoints(host:)` doesn't wait for a commit that is still on its way. The next commit sees whether
    #   one arrived, and raises Overtaken
    # - after a collector was killed while it rolled up, the others wait for RollupSteps::LEASE_S
    class Clickhouse
      include Reader
      include Writer

      # @return [String] the day of a commit, `ago_s` seconds ago
      def self.day(ago_s = 0) = (Time.now.utc - ago_s).strftime("%F")

      # @param url [String] clickhouse://user:password@host:8123/database, or clickhouse+https://
      # @param client [#rows, #insert, #run] for tests
      def initialize(url, read_only: false, client: HttpClient.new(url))
        @read_only = read_only
        @client = client
        @schema = Schema.new(client)
        @names = NameTable.new(client)
        @session = CommitSession.new(client)
        @steps = RollupSteps.new(client)
        @spans = Spans.new(client, @steps, @names)
        @records = Records.new(client, @names, commits: @spans.method(:commits))
        @slowest = SlowestRows.new(client, @names, commits: @spans.method(:commits))
        @recent = LastHourRows.new(client, commits: @spans.method(:commits))
        @arrivals = ArrivalRows.new(client, @names, commits: @spans.method(:commits))
        @upkeep = Upkeep.new(client, @steps, @spans, @records, Upkeep::BlockRows.new(@slowest, @arrivals))
      end

      def commit(windows, checkpoints, processes: [], unit_samples: [], slowest: [], arrivals: [], paths: {},
        skipped: [], collector_checkpoint: nil, audit: [], deaths: [], returned: [], notices: [], recent: nil,
        lengths: [Tier::FINEST], expected: {}, &bad_row)
        rows = {windows:, processes:, unit_samples:, slowest:, arrivals:, paths: paths.to_a}
        if bad_row
          rows, faults = sound(rows, lengths)
          skipped += faults.map(&bad_row)
        else
          check(rows, lengths)
        end
        writing do
          @session.check_expected(expected)
          write(rows, checkpoints, skipped:, collector_checkpoint:, recent:, audit:, deaths:, returned:,
            notices:)
        end
        nil
      end

      # What was rolled up stays the same within the block.
      def snapshot(&) = @spans.keeping(&)

      def skipped_rows = reading { @records.skipped(@spans.state) }

      def collector_checkpoints = reading { @records.collector_checkpoints(@spans.state) }

      def audit_entries(from_s, to_s, events: nil)
        entries = reading { @records.audit(from_s, to_s, @spans.state) }
        events ? entries.select { |entry| events.include?(entry.event) } : entries
      end

      def deaths(from_s, to_s) = reading { @records.deaths(from_s, to_s, @spans.state) }

      def notices(from_s, to_s) = reading { @records.notices(from_s, to_s, @spans.state) }

      def paths = reading { @names.paths }

      # The caller's next commit goes on from there, and fails if that no longer holds.
      def checkpoints(host: nil)
        reading { @session.checkpoints(host && "#{host} ") }
      end

      def windows(...)
        found = @spans.windows(...)
        Enumerator.new { |windows| reading { found.each { |window| windows << window } } }
      end

      def sums(...) = reading { @spans.sums(...) }

      def setting_starts(...) = reading { @spans.setting_starts(...) }

      def processes(from_s, to_s, every_s: nil, ends: false, hosts: nil)
        reading { @records.samples(from_s, to_s, @spans.state, every_s:, ends:, hosts:) }
      end

      def unit_samples(from_s, to_s, setting: nil, most: SampleBlock::MOST)
        Enumerator.new do |samples|
          reading do
            found = @records.unit_samples(from_s, to_s, @spans.state, setting:, most:)
            found.each { |sample| samples << sample }
          end
        end
      end

      def unit_spans(starts)
        reading { @records.unit_spans(starts, @spans.state) }
      end

      def unit_sample_starts(from_s, to_s)
        reading { @records.unit_sample_starts(from_s, to_s, @spans.state) }
      end

      def slowest_units(from_s, to_s, most:, settings: nil, hosts: nil, **filter)
        filter = SeriesFilter.new(**filter)
        reading { @slowest.slowest(from_s, to_s, @spans.state, most:, settings:, hosts:, filter:) }
      end

      def slowest_from_s
        reading { @slowest.oldest_s(1 << 40, @spans.state) }
      end

      def arrivals(from_s, to_s)
        reading { @arrivals.between(from_s, to_s, @spans.state) }
      end

      def slowest_blocks(from_s, to_s)
        reading { @slowest.all(from_s, to_s, @spans.state) }
      end

      def recent_figures(from_s, to_s, hosts: nil)
        reading { @recent.between(from_s, to_s, hosts) }
      end

      def tiers = reading { @spans.state.tiers }

      def kept_from(starts)
        kept = upkeep { @upkeep.kept_from(starts) }
        raise StoreError::RollingUp.new(location: @client.location) unless kept
        nil
      end

      def settings = reading { @names.settings }

      def hosts = reading { @spans.hosts }

      def keep(outcome)
        writing { @session.commit({}, {}, [@records.outcome_fact(outcome)]) }
        nil
      end

      def outcomes = reading { @records.outcomes(@spans.state) }

      def keep_answer(answer)
        writing { @session.commit({}, {}, [@records.answer_fact(answer)]) }
        nil
      end

      def answer(question)
        reading { @records.answer(question, @spans.state) }
      end

      def clock_s = reading { @client.rows("SELECT toUnixTimestamp(now())").dig(0, 0).to_i }

      def rollup(now_s) = upkeep { @steps.roll(now_s) }

      # @param max_bytes [Numeric, nil] nil: only age limits it
      def prune(now_s, max_bytes: nil)
        upkeep { @upkeep.prune(now_s, max_bytes || Float::INFINITY) }
      end

      def migrate!
        raise StoreError::ReadOnly.new(location: @client.location) if @read_only
        @schema.migrate
        nil
      end

      def extent = reading { @spans.extent }

      def health
        reading do
          oldest_s, newest_s = @spans.extent
          {location: @client.location, schema: @schema.version, bytes: @upkeep.bytes, read_only: @read_only,
           series: @names.count, oldest_s:, newest_s:}
        end
      end

      def close = @client.close

      private

      def reading
        @schema.check
        yield
      end

      def upkeep(&)
        raise StoreError::ReadOnly.new(location: @client.location) if @read_only
        reading(&)
      end

      # After an error it is unknown what the server has, so nothing goes on from it.
      def writing(&)
        done = false
        upkeep(&)
        done = true
      ensure
        [@session, @names].each(&:forget) unless done
      end

      def write(rows, checkpoints, skipped:, collector_checkpoint:, recent:, **told)
        windows, processes, unit_samples, slowest, arrivals, paths =
          rows.values_at(:windows, :processes, :unit_samples, :slowest, :arrivals, :paths)
        empty = [*rows.values, checkpoints, skipped, *told.values].all?(&:empty?)
        return if empty && [collector_checkpoint, recent].none?
        series = [*[*windows, *slowest].map(&:series), *paths.map(&:first)]
        @names.save(series, [*windows, *unit_samples, *slowest, *arrivals].map(&:setting), paths.to_h)
        facts = skipped.map { |row| @session.skipped(row) }.group_by { |fact| fact[:name] }.values.map(&:last)
        facts << @records.collector_checkpoint_fact(collector_checkpoint) if collector_checkpoint
        facts += @records.facts_of_sources(**told)
        tables = {"minutes" => window_rows(windows), "samples" => @records.sample_rows(processes),
                  "unit_samples" => @records.unit_sample_rows(unit_samples),
                  "slowest_units" => @slowest.rows(slowest), "arrivals" => @arrivals.rows(arrivals),
                  "recent_figures" => @recent.rows(recent)}
        @session.commit(tables, checkpoints, facts, oldest_s: windows.map(&:start_s).min)
      end

      def window_rows(windows)
        day = Clickhouse.day
        WindowBatch.merge(windows).map do |window|
          {day:, seconds: window.seconds, start_s: window.start_s, series: NameTable.series_id(window.series),
           setting: NameTable.setting_id(window.setting), host: window.host, **WindowColumns.row(window)}
        end
      end

      # @raise [ArgumentError, KeyError, StoreError::BadRow] for what can't be written
      def check(rows, lengths)
        WindowBatch.new(rows[:windows], lengths:)
        rows[:windows].each { |window| @names.check(window.series) }
        rows[:paths].each { |series, _| @names.check(series) }
        @records.sample_rows(rows[:processes])
        @records.unit_sample_rows(rows[:unit_samples])
        @slowest.rows(rows[:slowest])
        @arrivals.rows(rows[:arrivals])
      end

      # @return [Array(Hash, Array)] what can be written, and the other rows with their errors
      def sound(rows, lengths)
        faults = []
        sound = rows.to_h do |kind, some|
          bad = some.to_h { |row| [row, fault(kind, row, lengths)] }.compact
          faults.concat(bad.to_a)
          good = some - bad.keys
          raise faults.first.last if kind == :windows && faults.any? && good.empty?
          [kind, good]
        end
        [sound, faults]
      end

      def fault(kind, row, lengths)
        none = {windows: [], processes: [], unit_samples: [], slowest: [], arrivals: [], paths: []}
        check(none.merge(kind => [row]), lengths)
        nil
      rescue => error
        error
      end

      # The tables, in what version 18.16 knows. Each row of `minutes`, `samples`, `unit_samples`,
      # `slowest_units`, `arrivals` and `recent_figures` names the commit that it belongs to by session and
      # number, and counts once that commit's own row is in `commits` (see CommitSession). Of rows that came
      # twice, the server removes one in the background (ReplacingMergeTree); before that, a read takes one of
      # them.
      class Schema
        VERSION = 3 # 1 had no slowest units, 2 neither arrivals nor recent figures
        NUMBERS = [:count, :errors, *Window::SUMS].freeze
        HISTOGRAMS = Window::HISTOGRAMS.map { |name|
          "#{name}_count Int64, #{name}_sum Int64, #{name}_min Int64, #{name}_max Int64, " \
          "#{name}_zero Int64, `#{name}.slot` Array(UInt16), `#{name}.n` Array(UInt64)"
        }.join(", ").freeze
        TOTALS = "#{NUMBERS.map { |name| "#{name} Int64" }.join(", ")}, #{HISTOGRAMS}".freeze
        SERIES = "seconds UInt32, start_s Int64, series UInt64, setting UInt64"
        WINDOW = "#{SERIES}, host String"

        # `day`: of the commit, by the collector's clock.
        TABLES = {
          # Names behind ids: kind is series, setting or path.
          names: ["kind String, id UInt64, stamp UInt64, text String", "ReplacingMergeTree(stamp)",
            "kind, id"],
          # kind is commit, claim, close, checkpoint, collector, skipped, audit, death, notice, outcome or
          # answer; see CommitSession.
          commits: ["kind String, name String, session UInt64, number UInt64, epoch UInt64, upto UInt64, " \
            "stamp Int64, text String, written DateTime DEFAULT now()", "ReplacingMergeTree(number)",
            "kind, name, session"],
          # Windows as commits bring them: minutes, and longer ones of another store.
          minutes: ["day Date, session UInt64, number UInt64, #{WINDOW}, #{TOTALS}", "ReplacingMergeTree()",
            "seconds, start_s, series, setting, host, session, number", "day"],
          # Longer windows. `step`: the step of the roll-up that wrote the row, see RollupSteps.
          windows: ["step UInt64, #{WINDOW}, #{TOTALS}", "ReplacingMergeTree()",
            "seconds, start_s, series, setting, host, step", "(seconds, toYYYYMM(toDateTime(start_s)))"],
          # Their sums over hosts, likewise, and those of minutes, which go after days; `windows`: a number
          # for each that was added up.
          host_sums: ["step UInt64, #{SERIES}, first_host String, last_host String, windows Array(UInt64), " \
            "#{TOTALS}", "ReplacingMergeTree()", "seconds, start_s, series, setting, step",
            "(seconds, toYYYYMM(toDateTime(start_s)), " \
            "if(seconds = #{Tier::FINEST}, toDayOfMonth(toDateTime(start_s)), 0))"],
          samples: ["day Date, session UInt64, number UInt64, at_s Int64, host String, pid Int64, " \
            "stamp UInt64, facts String", "ReplacingMergeTree()", "at_s, host, pid, session, number", "day"],
          unit_samples: ["day Date, session UInt64, number UInt64, start_s Int64, setting UInt64, " \
            "host String, seen Int64, packed String", "ReplacingMergeTree()",
            "start_s, setting, host, session, number", "day"],
          slowest_units: ["day Date, session UInt64, number UInt64, start_s Int64, series UInt64, " \
            "setting UInt64, host String, slowest_ns Int64, packed String", "ReplacingMergeTree()",
            "start_s, series, setting, host, session, number", "day"],
          recent_figures: ["session UInt64, number UInt64, start_s Int64, host String, packed String",
            "ReplacingMergeTree()", "start_s, host, session, number", "intDiv(start_s, 3600)"],
          arrivals: ["day Date, session UInt64, number UInt64, start_s Int64, setting UInt64, host String, " \
            "packed String", "ReplacingMergeTree()", "start_s, setting, host, session, number", "day"],
          # kind is claim or step.
          steps: ["kind String, epoch UInt64, slot UInt64, text String, written DateTime DEFAULT now()",
            "ReplacingMergeTree(epoch)", "kind, slot"],
          # Up to which commit of each session a step goes.
          reached: ["day Date, step UInt64, session UInt64, number UInt64", "ReplacingMergeTree()",
            "step, session", "day"],
          schema_info: ["version UInt32", "ReplacingMergeTree()", "version"]
        }.freeze
        # Tables by which a store is recognised.
        OURS = %w[commits minutes windows].freeze
        # Rows that the server reads at once, where its default of 8,192 is too many. Windows have 5 kB each:
        # the two ends of a span would take longer than all between them. Checkpoints and blocks of single
        # units have 20 kB and more: who asks which commits count would read all checkpoints, too.
        GRANULES = {commits: 8, minutes: 512, windows: 512, host_sums: 512, unit_samples: 64,
                    recent_figures: 64}.freeze
        private_constant :OURS, :GRANULES

        def initialize(client)
          @client = client
        end

        # @raise [StoreError] unless its tables are there
        def check
          return if @checked
          found = version
          raise ServerErrors::NotMigrated.new(location: @client.location) if found.zero?
          if found > VERSION
            raise StoreError::NewerSchema.new(location: @client.location, found:, known: VERSION)
          end
          if found < VERSION
            raise ServerErrors::OlderSchema.new(location: @client.location, found:, known: VERSION)
          end
          @checked = true
        end

        # @return [Integer] 0 without tables
        def version
          tables = @client.rows("SELECT name FROM system.tables WHERE database = currentDatabase()").flatten
          return 0 if tables.empty? || !tables.include?("schema_info")
          @client.rows("SELECT max(version) FROM schema_info").flatten.first.to_i
        end

        # Each statement may run again.
        def migrate
          check_owner
          TABLES.each { |table, parts| @client.run(create(table, parts)) }
          @client.insert("schema_info", [{version: VERSION}])
          @checked = false
          check
        end

        private

        def create(table, (columns, engine, order, partition))
          partition &&= "PARTITION BY #{partition} "
          granule = " SETTINGS index_granularity = #{GRANULES[table]}" if GRANULES.key?(table)
          "CREATE TABLE IF NOT EXISTS #{table} (#{columns}) ENGINE = #{engine} #{partition}" \
            "ORDER BY (#{order})#{granule}"
        end

        # @raise [StoreError] when another program has its tables there
        def check_owner
          tables = @client.rows("SELECT name FROM system.tables WHERE database = currentDatabase()").flatten
          ours = TABLES.keys.map(&:to_s)
          return if tables.empty? || (OURS - tables).empty? || (tables - ours).empty?
          raise ServerErrors::ForeignTables.new(location: @client.location, tables: tables.sort)
        end
      end
    end
  end
end
