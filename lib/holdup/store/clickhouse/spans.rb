# frozen_string_literal: true

module Holdup
  module Store
    class Clickhouse
      # Reads spans of windows for Clickhouse, which documents these methods. The server adds up what several
      # commits brought of a window, and for `sums` all windows. A long read asks for STARTS at once; what is
      # committed meanwhile may be in its later windows, but each second is read once.
      class Spans
        STARTS = 24
        # Bytes of a statement that several selects are put into: a server takes 256 KiB.
        STATEMENT = 100_000
        # More sessions of commits are not written into a statement: these take 50 kB.
        SESSIONS = 1000
        private_constant :STARTS, :STATEMENT

        # @param names [NameTable]
        # @param steps [RollupSteps]
        def initialize(client, steps, names = nil)
          @client = client
          @names = names
          @steps = steps
        end

        # What was rolled up, which commits count, and which series there are, is asked for once in the block.
        def keeping
          outer = @kept
          @kept ||= {}
          yield
        ensure
          @kept = outer
        end

        # @return [RollupSteps::RollupState]
        def state
          once(:state) { @steps.state }
        end

        # To find which commits count takes longer than to read a span that was rolled up, so in the block of
        # `keeping` they are found once and written into each statement.
        # @return [CommitRanges]
        def commits(state = self.state)
          ranges = CommitRanges.of(state)
          @kept ? once(:commits) { ranges.read(@client) } : ranges
        end

        def windows(from_s, to_s, seconds: nil, hosts: nil, histograms: Window::HISTOGRAMS, **filter)
          Enumerator.new do |windows|
            each_part(from_s, to_s, seconds, filter, hosts:) do |part|
              part.starts(@client).each_slice(STARTS) do |starts|
                some = part.with_starts(starts.first, starts.last)
                read(some, histograms).each { |window| windows << window }
              end
            end
          end
        end

        def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil, apart: nil,
          by_host: false, hosts: nil, histograms: Window::HISTOGRAMS, heads: [], numbers: Window::SUMS,
          **filter)
          settings &&= settings.map { |setting| NameTable.setting_id(setting) }
          return [] if settings == []
          over_hosts = !by_host && hosts.nil?
          rows = in_few(from_s, to_s, seconds, filter, settings:, hosts:, over_hosts:) do |part|
            series = series_column(part.series_ids, together, apart)
            sums_of(part, step_s:, series:, by_host:, histograms:, numbers:)
          end
          left_out = (Window::HISTOGRAMS - histograms - heads).to_h { |name| [name, Histogram.empty] }
          sums = rows.map do |row|
            sum = span_sum(row, histograms, numbers, left_out)
            sum.with(window: sum.window.with(series: summed_series(row[2].to_i, together, apart)))
          end
          SpanSum.add(sums, step_s:, by_host:)
        end

        def setting_starts(from_s, to_s, step_s:, hosts: nil, **filter)
          step = "intDiv(at_s, #{step_s})"
          rows = in_few(from_s, to_s, step_s, filter, hosts:, over_hosts: hosts.nil?) do |part|
            "SELECT #{step}, setting, min(at_s) FROM (#{part.times}) GROUP BY #{step}, setting"
          end
          by_step = rows.group_by { |step, setting, _| [step, setting] }
          by_step.map { |(_, setting), same| [same.map { |row| row.last.to_i }.min, @names.setting(setting)] }
        end

        # @return [Array<String>] by name
        def hosts
          tables = %w[minutes windows]
          rows = tables.flat_map { |table| @client.rows("SELECT host FROM #{table} GROUP BY host") }
          rows.flatten.uniq.sort
        end

        # Only times and numbers of commits are read for it. To read whole minutes, only to find that steps
        # have taken them, would take a third of the time of a report.
        # @return [Integer, nil] start of the oldest minute that no step has taken, though a longer window of
        #   its time is there; nil when there is none
        def late_from_s(state, reach_s = reach_s(state))
          rolled_to_s = state.tiers.map(&:rolled_to_s).max
          return if reach_s.nil? || reach_s >= rolled_to_s
          count, oldest_s = @client.rows("SELECT count(), min(start_s) FROM minutes " \
            "#{commits(state).untaken("start_s >= #{reach_s} AND start_s < #{rolled_to_s}")}").first
          oldest_s.to_i if count.to_i.positive?
        end

        # @return [Integer, nil] no minute that no step has taken is older; nil when there is none
        def reach_s(state) = commits(state).read(@client).reach_s

        # @return [Array<Integer>] first and last start of all, empty without windows
        def extent
          rows = in_few(0, 1 << 40, nil, {}, over_hosts: true) do |part|
            "SELECT count(), min(at_s), max(at_s) FROM (#{part.times})"
          end
          starts = rows.map { |row| row.map(&:to_i) }.select { |count, *| count.positive? }
          starts.flat_map { |_, first, last| [first, last] }.minmax.compact
        end

        # Of each session the last commit that counts, and the last that a step has taken. `rows`: these, and
        # its reach (see CommitSession#reach); empty unless they were read.
        class CommitRanges < Data.define(:question, :rows)
          # @param state [RollupSteps::RollupState]
          def self.of(state)
            done = "SELECT session, number AS done FROM reached WHERE step = #{state.step}"
            question = "SELECT session, last, done, since, oldest FROM (#{CommitSession::LIMITS}) " \
              "ANY LEFT JOIN (#{done}) USING session"
            new(question:, rows: [])
          end

          def read(client)
            rows.any? ? self : with(rows: client.rows(question).map { |row| row.map(&:to_i) })
          end

          # @return [Integer, nil] no minute that no step has taken is older; nil when there is none
          def reach_s
            open = rows.select { |_session, last, done| last > done }
            open.map { |_session, _last, done, since, oldest_s| (since <= done + 1) ? oldest_s : 0 }.min
          end

          # @return [String] a sub-select of session, last and done
          def select
            return question unless written?
            arrays = %w[session last done].zip(self.arrays)
            "SELECT session, last, done FROM system.one ARRAY JOIN " \
              "#{arrays.map { |name, array| "#{array} AS #{name}" }.join(", ")}"
          end

          # Of the rows that count. Those that the condition is not true of are not read further.
          # @param condition [String] of the wanted rows
          # @return [String] the end of a select, after the table
          def counting(condition)
            unless written?
              return "ANY INNER JOIN (#{select}) USING session WHERE number <= last AND #{condition}"
            end
            sessions, lasts, = arrays
            "PREWHERE #{condition} WHERE number <= transform(session, #{sessions}, #{lasts}, toUInt64(0))"
          end

          # Written out, it needs no join: the server reads session and number of all rows, and the other
          # columns only of the few that no step has taken.
          # @param condition [String] of the wanted rows
          # @return [String] the end of a select, after the table
          def untaken(condition)
            unless written?
              return "ANY INNER JOIN (#{select}) USING session " \
                "WHERE number <= last AND number > done AND #{condition}"
            end
            sessions, lasts, dones = arrays
            "PREWHERE number <= transform(session, #{sessions}, #{lasts}, toUInt64(0)) " \
              "AND number > transform(session, #{sessions}, #{dones}, toUInt64(0)) WHERE #{condition}"
          end

          private

          # More sessions would make statements too long.
          def written? = rows.size.between?(1, SESSIONS)

          def arrays
            sessions_lasts_dones = rows.transpose.first(3)
            sessions_lasts_dones.map { |numbers| "CAST([#{numbers.join(", ")}], 'Array(UInt64)')" }
          end
        end

        # Rows of one tier that count, and at its end those that no step has taken yet. `over_hosts`: whether
        # sums over hosts will do. `untaken_from_s`: no row that no step has taken is older; nil without any.
        SpanSource = Data.define(:range, :state, :commits, :untaken_from_s, :series_ids, :settings, :hosts,
          :over_hosts) do
          def initialize(untaken_from_s: nil, series_ids: nil, settings: nil, hosts: nil, over_hosts: false,
            **rest)
            super
          end

          def starts(client)
            rows = client.rows("SELECT at_s FROM (#{times}) GROUP BY at_s ORDER BY at_s")
            rows.flatten.map(&:to_i)
          end

          def with_starts(first_s, last_s)
            with(range: range.with(from_s: first_s, to_s: last_s + range.seconds))
          end

          # First and last host and the number of windows, of the rows of `source`.
          def figures
            return "min(first_host), max(last_host), uniqExactArray(windows)" if over_hosts
            "min(host), max(host), uniqExact(#{WindowColumns::WINDOW})"
          end

          # @return [String] a sub-select with the columns of WindowColumns.plain
          def source(histograms)
            columns = WindowColumns.plain(range.seconds, histograms, origin:)
            rolled = WindowColumns.plain(range.seconds, histograms, origin: "first_host, last_host, windows")
            rows(columns, over_hosts ? rolled : columns, once: true)
          end

          # @return [String] a sub-select of at_s and setting. A row that arrived twice is in it twice, for
          #   questions that this does not matter to: to find it takes longer than all else
          def times
            columns = "#{WindowColumns.at(range.seconds)} AS at_s, setting"
            rows(columns, columns, once: false)
          end

          private

          def rows(columns, rolled_columns, once:)
            return minutes(columns, once:) if range.seconds == Tier::FINEST && !over_hosts
            untaken = untaken(columns, once:) if untaken_from_s && untaken_from_s < range.to_s
            [rolled(rolled_columns, once:), untaken].compact.join(" UNION ALL ")
          end

          def origin
            return "host" unless over_hosts
            "host AS first_host, host AS last_host, [#{WindowColumns::WINDOW}] AS windows"
          end

          def minutes(columns, once:)
            "SELECT #{columns} FROM minutes ANY INNER JOIN (#{commits.select}) USING session " \
              "WHERE seconds = #{Tier::FINEST} AND number <= last AND #{conditions("start_s")} " \
              "#{once_a_commit(once)}"
          end

          def rolled(columns, once:)
            table = over_hosts ? "host_sums" : "windows"
            limit = over_hosts ? WindowColumns::SUM_ONCE : "#{WindowColumns::ONCE}, step"
            "SELECT #{columns} FROM #{table} WHERE seconds = #{range.seconds} AND #{state.counting} " \
              "AND #{conditions("start_s")} #{limit if once}"
          end

          def once_a_commit(once)
            "#{WindowColumns::ONCE}, session, number" if once
          end

          def untaken(columns, once:)
            wanted = "seconds <= #{range.seconds} AND start_s >= #{[range.from_s, untaken_from_s].max} " \
              "AND #{conditions(WindowColumns.at(range.seconds))}"
            "SELECT #{columns} FROM minutes #{commits.untaken(wanted)} #{once_a_commit(once)}"
          end

          def conditions(at)
            last_s = range.to_s # no text
            from_s = [range.from_s, state.tier(range.seconds).kept_from_s].max
            ["#{at} >= #{from_s}", "#{at} < #{last_s}",
              *among("series", series_ids),
              *among("setting", settings),
              *among("host", hosts&.map { |host| HttpClient.quote(host) })].join(" AND ")
          end

          def among(column, ids)
            "#{column} IN (#{ids.join(", ")})" if ids
          end
        end

        # Rows of one tier that the store shows, for roll-up and pruning.
        def part(seconds, from_s, to_s, state)
          range = Tier::ReadPlan::TierRange.new(seconds:, from_s:, to_s:)
          SpanSource.new(range:, state:, commits: CommitRanges.of(state))
        end

        private

        def each_part(from_s, to_s, seconds, filter, **only, &)
          filter = SeriesFilter.new(**filter)
          only[:series_ids] = series_ids(filter) unless filter.all?
          return if only.value?([])
          parts(from_s, to_s, seconds, **only).each(&)
        end

        # The rows of all parts of a span: a statement for each would take longer than what it reads.
        # @yieldreturn [String] the select of a part
        # @return [Array<Array>]
        def in_few(*span, **only)
          selects = []
          each_part(*span, **only) { |part| selects << yield(part) }
          bytes = 0
          statements = selects.slice_when do |before, after|
            bytes += before.bytesize
            (bytes + after.bytesize > STATEMENT).tap { |full| bytes = 0 if full }
          end
          statements.flat_map { |some| @client.rows(some.join(" UNION ALL ")) }
        end

        def series_ids(filter)
          once(:names) { @names.read_series }
          @names.series_ids(filter)
        end

        # @return [Object] the block's value, or what it was earlier in `keeping`
        def once(key)
          return yield unless @kept
          @kept.fetch(key) { @kept[key] = yield }
        end

        # @param only [Hash] what of each range, see SpanSource
        def parts(from_s, to_s, seconds, **only)
          state = self.state
          reach_s = once(:reach_s) { reach_s(state) }
          late_from_s = once(:late_from_s) { late_from_s(state, reach_s) }
          commits = commits(state)
          Tier::ReadPlan.new(state.tiers).ranges(from_s, to_s, seconds:).map do |range|
            untaken_from_s = (range.seconds == Tier::FINEST) ? reach_s : late_from_s
            SpanSource.new(range:, state:, commits:, untaken_from_s:, **only)
          end
        end

        def read(part, histograms)
          rows = @client.rows("SELECT at_s, series, setting, host, #{WindowColumns.sums(histograms)} " \
            "FROM (#{part.source(histograms)}) GROUP BY at_s, series, setting, host ORDER BY at_s, series")
          rows.map do |at_s, series, setting, host, *totals|
            Window.new(start_s: at_s.to_i, seconds: part.range.seconds, series: @names.series(series),
              setting: @names.setting(setting), host: -host, **WindowColumns.totals(totals, histograms))
          end
        end

        # @return [String, nil] what sums of series are told apart by; nil: nothing
        def series_column(series_ids, together, apart)
          return "series" unless together
          return unless apart
          same = @names.same(series_ids, apart)
          arrays = [same.keys, same.values].map { |ids| "CAST([#{ids.join(", ")}], 'Array(UInt64)')" }
          "transform(series, #{arrays.join(", ")}, series)"
        end

        # @param id [Integer] of one of those that were summed
        def summed_series(id, together, apart)
          (together && !apart) ? together : SpanSum.named(@names.series(id), together, apart)
        end

        def sums_of(part, step_s:, series:, by_host:, histograms:, numbers:)
          keys = [*series, "setting", *("host" if by_host),
            *("intDiv(at_s, #{step_s})" if step_s)]
          columns = "toUInt32(#{part.range.seconds}), setting, #{series || 0}, min(at_s), max(at_s)"
          "SELECT #{columns}, #{part.figures}, " \
            "#{WindowColumns.sums(histograms, numbers)} FROM (#{part.source(histograms)}) " \
            "GROUP BY #{keys.join(", ")}"
        end

        # @return [SpanSum] without its series
        def span_sum(row, histograms, numbers, left_out)
          seconds, setting, _series, first_s, last_s, first_host, last_host, windows, *totals = row
          seconds = seconds.to_i
          start_s = first_s.to_i
          totals = WindowColumns.totals(totals, histograms, numbers)
          totals[:histograms] = totals[:histograms].merge(left_out)
          window = Window.new(start_s:, seconds: last_s.to_i + seconds - start_s,
            series: nil, setting: @names.setting(setting),
            host: (first_host if first_host == last_host), **totals)
          SpanSum.new(window:, covered_s: windows.to_i * seconds)
        end
      end
    end
  end
end
