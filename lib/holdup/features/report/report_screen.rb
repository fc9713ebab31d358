# frozen_string_literal: true

module Holdup
  module Report
    # The report on one screen: the verdict, where the time goes, whom to look at first, what changed, and the
    # next commands. Report has all tables.
    class ReportScreen
      ROWS = 3
      # Rows of a report by host, queue, setting ...
      GROUPS = 5
      CHANGES = 3
      QUANTILES = {p50: 0.5, p95: 0.95, p99: 0.99}.freeze
      STATES = %i[starved lock sleep native io cpu].freeze

      class << self
        # @param summary [Analysis::Summary] with what was read so far
        # @return [Array<Symbol>] parts of the summary that the screen needs: those of its tables depend on
        #   the verdict
        def parts(summary)
          return [] if summary.empty?
          known = View::Headline.parts(summary)
          return known unless summary.read?(*known)
          answer = Analysis::StallVerdict.new(summary).call
          tables = tables(summary, answer).map(&:first)
          [*known, *tables.flat_map { |kind| kind.parts(summary) }, *NextCommands.parts(answer),
            *(:slowest if one_name?(summary))]
        end

        # The slowest request or job says more than sums only where its name is known.
        def one_name?(summary) = !summary.filter.name.nil? && summary.rows.map(&:name).uniq.one?

        # @param answer [Analysis::StallVerdict::StallAnswer]
        # @return [Array<Array(Class, Hash)>] sections and their options
        def tables(summary, answer)
          causes = [Sections::Top::TopCauseTable, {}]
          return [[Sections::Top::TopRowTable, {limit: GROUPS}], causes] unless summary.by == :name
          state = dominant(summary, answer)
          return [[Sections::Pools::ConnectionTable, {}]] if state == :connections
          return [[Sections::Top::TopStateTable, {state:}]] if state
          [causes, [Sections::Top::TopVictimTable, {}]]
        end

        private

        # What units wait for if it is not the GVL.
        # @return [Symbol, nil] :connections, a state, or nil
        def dominant(summary, answer)
          return :connections if answer.key.start_with?("connections")
          stalled_share = summary.total.split.share(:stalled)
          answer.key if STATES.include?(answer.key) && stalled_share < Analysis::Thresholds::STALLED
        end
      end

      # @param summary [Analysis::Summary]
      # @param changes [Array<Analysis::SettingChanges::SettingChange>] within the span
      # @param drifts [Array<String>] how figures differ from those before the last change
      # @param remarks [Array<String>] more remarks
      # @param again [Hash{String => Hash{String => String}}] options that choose the same data, as each of
      #   the next commands takes them
      # @param zone [String, nil] UTC offset of the times shown; nil: the system's own
      def initialize(summary, words: View::Words.new, changes: [], drifts: [], remarks: [], again: {},
        zone: nil)
        @summary = summary
        @words = words
        @changes = changes
        @drifts = drifts
        @again = again
        @zone = zone
        @headline = View::Headline.new(summary, words:, general_remarks: remarks, zone:)
      end

      # How many sentences and commands can be left out to fit a screen.
      def spare = spared.size

      # @param kept [Integer] of those that can be left out
      # @return [View::Page]
      def page(kept = spare)
        @kept = spared.first(kept)
        title = word(:screen_title, title: word(:title), span: @headline.span)
        View::Page.new(title:, blocks: @summary.empty? ? nothing : blocks)
      end

      private

      def word(key, **facts) = @words.call(key, **facts)

      def nothing
        [lead, remarks, commands]
      end

      def blocks
        figures = [*@headline.main_wait, *@headline.lock_wait, @headline.figures.first, times,
          *kept(:slowest)]
        [lead, View::Blocks::Notes.new(texts: figures), remarks,
          View::Blocks::Split.of(@summary.total, @words).with(brief: true), *tables, changed,
          commands].compact
      end

      def lead
        View::Blocks::Lead.new(text: @headline.verdict)
      end

      def times
        wall, queued = %i[wall queued].map { |key| @summary.total.histogram(key) }
        times = QUANTILES.transform_values { |q| View::Figures.duration(wall.quantile(q)) }
        word(:screen_times, **times, queued: View::Figures.duration(queued.quantile(0.95)))
      end

      # A remark says why figures mislead, so the first one comes before all. That nothing has changed comes
      # last.
      # @return [Array<Array(Symbol, Object)>] what can be left out with its block, the most important first
      def spared
        @spared ||= begin
          remark, *remarks = texts(:remarks, @summary.empty? ? @headline.general_remarks : @headline.remarks)
          change, *changes = texts(:changes, changes_in_words + @drifts)
          second, *commands = next_commands.drop(1).map { |command| [:commands, command] }
          unchanged = texts(:changes, (change || @summary.empty?) ? [] : [word(:screen_unchanged)])
          first = [remark, change, *texts(:slowest, [*slowest]), second]
          [*first, *commands, *changes, *remarks, *unchanged].compact
        end
      end

      # @return [String, nil] why the slowest was slow: as many sentences of its chain as fit
      def slowest
        return if @summary.empty? || !self.class.one_name?(@summary)
        explained = @summary.slowest&.units&.first or return
        lines = explained.chain.links.size.downto(1).map { |count| slowest_line(explained, count) }
        lines.find { |line| View::Width.of(line) <= View::Width::SENTENCE } || lines.last
      end

      # @param count [Integer] of links of its chain
      def slowest_line(explained, count)
        chain = explained.chain.with(links: explained.chain.links.first(count))
        word(:screen_slowest, line: ChainSentence.new(@words).line(explained.with(chain:)))
      end

      def texts(block, sentences)
        sentences.map { |text| [block, View::Width.truncate(text, View::Width::SENTENCE)] }
      end

      def kept(block)
        @kept.filter_map { |owner, part| part if owner == block }
      end

      def remarks
        View::Blocks::Notes.new(texts: kept(:remarks), warning: true)
      end

      # @return [Array<View::Section, nil>]
      def tables
        self.class.tables(@summary, answer).map { |kind, options| table(kind, **options) }
      end

      def answer
        @answer ||= Analysis::StallVerdict.new(@summary).call
      end

      def table(kind, limit: ROWS, **options)
        section = kind.new(@summary, words: @words, limit:, **options).call
        (kind == Sections::Pools::ConnectionTable) ? section&.with(notes: []) : section
      end

      def changed
        notes = kept(:changes)
        View::Section.new(title: word(:screen_changes), columns: [], rows: [], notes:) if notes.any?
      end

      # The newest come first.
      def changes_in_words
        @changes.last(CHANGES).reverse.map do |change|
          at = Time.at(change.at_s, in: @zone).strftime("%F %H:%M")
          server = View::Width.clean(change.server || word(:not_known))
          word(:screen_change, at:, server:, what: View::Width.clean(change.differences.join(", ")))
        end
      end

      def next_commands
        @next_commands ||= NextCommands.new(@summary, answer, words: @words, again: @again).call
      end

      def commands
        items = [next_commands.first, *kept(:commands)]
        notes = @summary.empty? ? [] : [word(:screen_more)]
        View::Blocks::Commands.new(title: word(:screen_next), items:, notes:)
      end

      # At most three commands, chosen by the verdict.
      class NextCommands
        MOST = 3
        BY_VERDICT = {
          no_data: %i[doctor],
          no_cpu: %i[processes advise doctor],
          waits_for: %i[cause capture advise],
          waits_for_own: %i[capture advise],
          one_cause: %i[cause capture advise],
          account_cause: %i[blame capture advise],
          spread: %i[blame advise capture],
          handoff: %i[blame processes advise],
          connections: %i[connections doctor advise],
          connections_kept: %i[connections cause advise],
          connections_outside: %i[connections doctor advise],
          connections_waits_for: %i[connections cause advise],
          connections_waits_for_own: %i[connections advise],
          connections_waits_for_thread: %i[connections doctor advise],
          starved: %i[processes doctor advise],
          lock: %i[states capture],
          sleep: %i[states capture],
          native: %i[states processes advise],
          io: %i[states advise],
          cpu: %i[states jit advise],
          calm: %i[endpoints advise]
        }.freeze
        TABLES = %i[blame methods processes connections pool_pairs states jit endpoints].freeze
        # Verdicts of which holds of the GVL are the reason.
        CAUSES = %i[waits_for waits_for_own one_cause account_cause spread].freeze
        # Options that choose the names.
        OF_NAMES = %w[--kind --name --queue].freeze
        COMMANDS = %w[report advise compare doctor capture].freeze
        # Shorter times are those of any request.
        LEAST_MS = 5
        # Histograms of the figures that a capture's rule knows.
        HISTOGRAMS = {stall: :stalled, wall: :wall}.freeze
        # Verdicts for which a capture waits for a long request instead of a long stall.
        WITHOUT_STALL = %i[lock sleep].freeze

        # @param answer [Analysis::StallVerdict::StallAnswer]
        # @return [Array<Symbol>] parts of the summary that they need
        def self.parts(answer)
          CAUSES.include?(answer.key) ? [:holding_methods] : []
        end

        # @param answer [Analysis::StallVerdict::StallAnswer]
        # @param again [Hash{String => Hash{String => String}}] by command of COMMANDS, options that choose
        #   the same data
        def initialize(summary, answer, words:, again: {})
          @summary = summary
          @answer = answer
          @words = words
          @again = again
        end

        # @return [Array<View::Blocks::ShellCommand>]
        def call
          keys = BY_VERDICT.fetch(@answer.key)
          keys = keys.map { |key| (key == :capture) ? :methods : key } if methods?
          keys = keys.map { |key| (key == :connections) ? :pool_pairs : key } if pool_pairs?
          keys = [first_of_all, *keys].compact
          keys.first(MOST).map { |key| build(key) }
        end

        private

        # Settings of several applications differ, but no change led from one to the other.
        def first_of_all
          return :application if @summary.applications.several? && application
          :compare if @summary.setting_names.most_of_a_role > 1 && @summary.by != :setting
        end

        # @return [String, nil] the one with most requests and jobs of those whose name fits a line
        def application
          names = @summary.applications.shares.keys - [Analysis::ApplicationShares::UNNAMED]
          names.find { |name| View::Width.of(View::Width.clean(name)) <= View::Blocks::ShellCommand::NAME }
        end

        # Whether samples name the methods that a capture would be for.
        def methods? = CAUSES.include?(@answer.key) && @summary.holding_methods.any?

        # Whether it is measured whom the waits for connections were for. The screen has the other table.
        def pool_pairs? = @summary.read?(:connection_pairs) && @summary.connection_pairs.any?

        def build(key)
          case key
          when *TABLES then command(key, "report --table #{key}")
          when :cause then command(key, "report --full", own: cause, skipped: OF_NAMES)
          when :capture then command(key, "capture --all", own: {"--until" => rule})
          when :application then command(key, "report", own: {"--app" => application})
          when :compare then command(key, "compare --by setting", own: kind, skipped: %w[--name])
          when :advise then command(key, "advise", own: kind)
          else command(key, key.to_s)
          end
        end

        # @param own [Hash{String => String}] options of this command
        # @param skipped [Array<String>] options that it does without
        def command(key, text, own: {}, skipped: [])
          taken = @again.fetch(text[/\w+/], {}).except(*skipped)
          View::Blocks::ShellCommand.holdup(text, options: {**taken, **own},
            purpose: @words.call(:"screen_next_#{key}"))
        end

        def cause
          {"--name" => View::Blocks::ShellCommand.pattern(@answer.facts.fetch(:cause).name)}
        end

        def kind
          (@summary.unit_kind == :job) ? {"--kind" => "job"} : {}
        end

        # The slowest twentieth meets it, so such a request or job comes soon.
        def rule
          figure = WITHOUT_STALL.include?(@answer.key) ? :wall : :stall
          slow_ns = @summary.total.histogram(HISTOGRAMS.fetch(figure)).quantile(0.95)
          "#{figure} > #{[(slow_ns.to_i / 1e6).ceil, LEAST_MS].max} ms"
        end
      end
    end
  end
end
