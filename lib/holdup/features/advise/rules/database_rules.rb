# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module DatabaseRules
        # Waits for a connection: the pool is too small, or requests or jobs keep connections too long. Holdup
        # knows the size of Active Record's pools alone.
        module DbPool
          MUCH = 0.05

          module_function

          def call(situation)
            connections = situation.summary.connections
            return unless connections.any? && connections.wait_share >= MUCH
            return other_pool(connections) unless connections.awaited == :database
            rule, held = keeper(connections)
            facts = {wait_share: connections.wait_share, size: connections.size&.to_s, **held,
                     query: "report --full"}
            Finding.new(rule:, remedy: :setting, weight: connections.wait_share, change: change(situation),
              facts:)
          end

          # @return [Finding] about pools of Redis, HTTP and the like
          def other_pool(connections)
            holder = connections.holder unless connections.outside?
            kept = {name: holder.name, held_share: connections.held_share(holder)} if holder
            awaited = connections.awaited
            facts = {wait_share: connections.wait_share, connection: (awaited unless awaited == :any),
                     name: nil, held_share: nil, **kept.to_h, query: "report --full"}
            Finding.new(rule: :other_pool, remedy: :setting, weight: connections.wait_share, facts:)
          end
          private_class_method :other_pool

          # The holder that kept the connections for longest: threads outside of requests and jobs may be it,
          # and until they were sampled nothing is.
          # @return [Array(Symbol, Hash)] the rule, and its facts about that
          def keeper(connections)
            holder = connections.holder
            if connections.outside?
              [:db_pool_outside, {held_share: connections.outside_share}]
            elsif holder && connections.outside_known?
              [:db_pool, {name: holder.name, held_share: connections.held_share(holder)}]
            else
              [:db_pool_unheld, {}]
            end
          end
          private_class_method :keeper

          def change(situation)
            threads = situation.threads
            size = situation.fact("db_pool")
            return unless threads && size && size < threads
            DatabaseYml.new(situation.written(DatabaseYml::PATH), size:).change(threads)
          end
          private_class_method :change
        end

        # Threads may open more connections than the server allows this application. It fails only when all
        # threads want one at once: at a peak, or while old and new processes overlap in a deployment. Holdup
        # does not query the database, so the user states the limit (--db-connections).
        module DbConnections
          module_function

          def call(situation)
            limit = situation.recommendation&.limits&.connections or return
            use = situation.summary.processes.connections
            possible = use.total
            return unless possible > Sizing::Guards::CONNECTIONS * limit
            facts = {possible:, requests: use.of_kind(:request), jobs: use.of_kind(:job), limit:,
                     room_share: Sizing::Guards::CONNECTIONS, query: "advise --db-connections #{limit}"}
            Finding.new(rule: :db_connections, remedy: :setting, facts:,
              weight: [possible.fdiv(limit), 1.0].min)
          end
        end

        # The same query again and again in one request or job (N+1): one query for all records would do.
        module RepeatedQueries
          # Share of the elapsed time.
          MUCH = 0.05

          module_function

          def call(situation)
            query = situation.summary.repeated_queries.max_by(&:elapsed_ns)
            return unless query && query.share >= MUCH
            facts = {name: query.name, place: query.place, queries: query.each, taken_share: query.share,
                     **times(query), query: "report --table calls --name #{situation.quoted(query.name)}"}
            weight = query.elapsed_ns.fdiv([situation.total.wall_ns, 1].max).clamp(0, 1)
            Finding.new(rule: :repeated_queries, weight:, facts:)
          end

          def times(query)
            times = {remote_ns: query.remote_ns, stalled_ns: query.stalled_ns, ruby_ns: query.ruby_ns}
            times.transform_values { |ns| ns.fdiv(query.units).round }
          end
          private_class_method :times
        end

        # Transactions that stay open for what has nothing to do with the database: rows stay locked
        # meanwhile, and whoever wants them waits.
        module OpenTransactions
          # Shares of the time in which they are open.
          MUCH = 0.3
          CALLS = 0.1
          # Mean time for which one is open.
          LONG_NS = 10_000_000
          # A mean of fewer says little.
          FEWEST = 20

          module_function

          def call(situation)
            many = situation.summary.transactions.select { |line| line.count >= FEWEST }
            long = many.select { |line| open_ns(line) >= LONG_NS }
            found = long.flat_map { |line| [of_calls(line), of_stall(line)].compact }
            rule, line, ns, facts = found.max_by { |_, _, ns, _| ns }
            return unless line
            weight = ns.fdiv([situation.total.wall_ns, 1].max).clamp(0, 1)
            query = "report --table transactions --name #{situation.quoted(line.name)}"
            Finding.new(rule:, weight:, facts: {name: line.name, open_ns: open_ns(line), **facts, query:})
          end

          def open_ns(line) = line.open.sum.fdiv(line.count).round
          private_class_method :open_ns

          def of_stall(line)
            share = line.share_of_open(line.stalled_ns)
            return if share < MUCH
            [:open_transactions_stalled, line, line.stalled_ns,
              {stalled_ns: line.stalled_ns.fdiv(line.count).round}]
          end
          private_class_method :of_stall

          def of_calls(line)
            call = line.other_calls.first
            return unless call && line.share_of_open(line.other_calls_ns) >= CALLS
            [:open_transactions_calls, line, line.other_calls_ns,
              {called: [call.system, call.target].compact.join(" "),
               remote_ns: line.other_calls_ns.fdiv(line.count).round}]
          end
          private_class_method :of_calls
        end

        # The line of config/database.yml that sets the size of a pool: `pool:`, from Rails 8.1 on
        # `max_connections:`, with a number or an environment variable.
        class DatabaseYml
          PATH = "config/database.yml"
          LINE = /\A\s*(?:max_connections|pool):\s*(\S.*?)\s*\z/
          NUMBER = /\A["']?\d+["']?(?:\s+#.*)?\z/
          # Matches <%= ENV.fetch("RAILS_MAX_THREADS") { 5 } %>, but nothing with + 1.
          VARIABLE = /\A["']?<%=\s*ENV(?:\.fetch\(|\[)\s*["'](\w+)["'][^-+*\/%]*%>["']?\z/
          # A number that is not part of a name, as in KnownLever#with_value.
          DIGITS = /(?<![\w.])\d+(?![\w.])/

          # @param lines [Array<String>] of that file; empty if it can't be read
          def initialize(lines, size:)
            @lines = lines
            @size = size
          end

          # @return [Finding::ProposedChange] of the line or its variable; a general one if no line is certain
          def change(wanted)
            return new_line(wanted) unless number
            return in_environment(wanted) if variable && default != @size
            how = variable ? :restart_unless_set : :restart
            where = "#{PATH}:#{number + 1}"
            Finding::ProposedChange.new(new: rewritten(wanted), old: text, where:, how:,
              facts: {"variable" => variable}.compact)
          end

          private

          def new_line(wanted)
            Finding::ProposedChange.new(new: "max_connections: #{wanted}", where: PATH, how: :new_pool_size,
              facts: {"earlier" => "pool: #{wanted}"})
          end

          # The line that has the measured size counts if there are several databases or environments.
          def number
            @number ||= begin
              found = @lines.each_index.select { |index| LINE.match?(@lines[index]) }
              (found.size > 1) ? found.find { |index| @lines[index][DIGITS].to_i == @size } : found.first
            end
          end

          def text = @lines[number].strip

          def value = LINE.match(@lines[number])[1]

          def variable = value[VARIABLE, 1]

          def default = value[DIGITS]&.to_i

          # The file's number is only the default: the variable has another value.
          def in_environment(wanted)
            Finding::ProposedChange.new(new: "#{variable}=#{wanted}", old: "#{variable}=#{@size}",
              where: SettingPlace.variable(variable), how: :restart)
          end

          # A computed value has no number to change: the wanted number replaces it.
          def rewritten(wanted)
            return text.sub(DIGITS, wanted.to_s) if variable || NUMBER.match?(value)
            "#{text[/\A\w+:/]} #{wanted}"
          end
        end
      end
    end
  end
end
