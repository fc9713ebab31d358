# frozen_string_literal: true

module Holdup
  module Report
    # Start page: the verdict, where the time goes, who waits for whom, what to do; then since when, and the
    # figures behind it.
    class OverviewPage < View::PageBase
      include OverTime
      include PairMatrix
      include Advise::PageFindings

      TOP = 5
      # From this span on, the picture has a point for each day.
      LONG_S = 12 * DAY_S
      DAYS = 60
      # Rows of the matrix that stand beside the picture.
      VICTIMS = 6
      # Rules that are about what a verdict says. Others are about the cause that it names.
      RULES = {no_cpu: /\A(?:starved|cpu_throttling)/, starved: /\A(?:starved|cpu_throttling)/,
               lock: /\Alock/, connections: /pool/}.freeze

      def self.streamed? = true

      def blocks
        return nothing if summary.empty?
        [answer, pictures, impact, fold]
      end

      # @return [Hash{String => View::Chart}]
      def charts = {**picture.charts, **super}

      def live? = query.live?

      private

      def lead = View::Blocks::Lead.new(text: headline.verdict)

      def answer
        main = [lead, split, View::Blocks::Notes.new(texts: notes)]
        View::Blocks::Beside.new(main:, side: [*action])
      end

      def action
        about = [headline.verdict, headline.figures.first]
        first_action(about:, rather: method(:of_verdict?)) do |name|
          row = summary.rows.find { |one| one.name == name } || ImpactTable.rows(summary, 1).first
          link = unit_link(row)
          next [] unless link.is_a?(View::Blocks::Link)
          [(slowest_link(row) || link).with(text: word(:action_slowest, name: link.text))]
        end
      end

      # The page has one answer: what to do is about what it says first.
      def of_verdict?(finding)
        answer = Analysis::StallVerdict.new(summary).call
        rules = RULES[answer.key.start_with?("connections") ? :connections : answer.key]
        return rules.match?(finding.rule) if rules
        cause = answer.facts[:cause]
        !cause.nil? && finding.facts[:name] == cause.name
      end

      # To the slowest one itself, where it is kept.
      def slowest_link(row)
        name = Analysis::UnitFilter.glob_of(row.name)
        found = Queries::SlowestUnitsQuery.units(store, from_s: query.from_s, to_s: query.until_s,
          filter: query.filter(kind: row.kind, name:, queue: row.queue), most: 1)
        slow = found.first or return
        View::Blocks::Link.new(text: nil, page: "request", params: RequestPage.params(slow.unit))
      end

      # How much there is, and the first reason why figures may mislead.
      def notes = [headline.figures.first, *headline.caveats.first]

      def more_notes = [headline.figures.last, *headline.remarks, *unequal] - notes

      def unequal
        found = UnequalProcessesReader.call(store, from_s: query.from_s, to_s: query.until_s)
        found ? [UnequalProcesses::Sentence.new(@words).call(found)] : []
      end

      def pictures
        picture = picture_block or return waits
        View::Blocks::Beside.new(main: [picture], side: [*waits])
      end

      # Waits that do not matter would look as if they did.
      def waits
        matrix(limit: VICTIMS, brief: true) if time_series.empty? || contended?
      end

      # What one looks for when the first screen is not enough.
      def fold
        inner = [short_answers, View::Blocks::Notes.new(texts: more_notes),
          findings(word(:stands_out)), over_time, changes.table, causes,
          section(Sections::Times::DistributionTable), guide, section(Sections::Processes::SettingTable)]
        View::Blocks::Fold.new(title: word(:overview_more), inner: inner.compact)
      end

      def parts(summary)
        return [] if summary.empty?
        [*View::Headline.parts(summary), *Sections::Stalls::BlameTable.parts(summary),
          *Sections::Stalls::StallMatrix.parts(summary), *ImpactTable::PARTS, *Advise::Rules.parts(summary)]
      end

      def short_answers
        ShortAnswers.new(summary, time_series, marks:, words: @words, link: method(:unit_link)).block
      end

      # The picture has what they would say of states.
      def charted = super - ["shares"]

      def split
        each = View::Figures.duration(summary.total.per_unit(summary.total.wall_ns))
        title = word(:"average_#{summary.unit_kind}", each:)
        super.with(title:, brief: true)
      end

      def picture
        @picture ||= contended ? contended_picture : picture_of(rounds || pictured)
      end

      # By rounds of ten seconds, where they are known.
      def contended_picture
        gvl = rounds && RecentGvlReader.call(store, rounds, filter:)
        gvl ? picture_of(rounds, gvl) : picture_by_minutes
      end

      def picture_by_minutes = @picture_by_minutes ||= picture_of(pictured, contended)

      def picture_of(series, gvl = nil)
        OverviewPicture.new(series, gvl, words: @words, marks: chart_marks)
      end

      # @return [Analysis::GvlOverTime, nil]
      def contended
        return @contended if defined?(@contended)
        @contended = gvl_over_time&.then { |gvl| gvl unless gvl.empty? }
      end

      def gvl_over_time
        return unless contended?
        GvlOverTimeReader.call(store, pictured, from_s: query.from_s, to_s: query.until_s, filter:)
      end

      def contended? = OverviewPicture.contended?(pictured, summary.total)

      # There are many pairs: of weeks, those of days are read.
      def pictured
        from_s, to_s = shown
        return time_series if to_s - from_s < LONG_S
        @pictured ||= Queries::TimeSeriesQuery.call(store, from_s:, to_s:, filter:, histograms: [],
          points: DAYS)
      end

      def picture_block
        return if time_series.empty?
        picture.block(twin: picture_by_minutes.table(query.limit), part:)
      end

      # Not in a file, which one reads and does not come back to.
      def guide
        return unless @context
        oldest_s, newest_s = store.extent
        return unless oldest_s
        data = Queries::MeasuredTimeQuery.call(store, from_s: oldest_s, to_s: newest_s + MINUTE_S)
        Guide.new(data.total_s, units: summary.total.count, words: @words).section
      end

      def causes
        more = View::Blocks::Link.new(text: word(:all_blame), page: "blame")
        section(Sections::Stalls::BlameTable, limit: TOP)&.with(more:)
      end

      def impact
        rows = ImpactTable.rows(summary, TOP)
        slow = SlowOverTimeReader.call(store, rows, from_s: shown.first, to_s: shown.last, filter:)
        page = (summary.unit_kind == :job) ? "jobs" : "requests"
        ImpactTable.new(summary, slow:, words: @words, link: method(:unit_link)).call(rows)
          .with(more: View::Blocks::Link.new(text: word(:all_endpoints), page:))
      end

      # What one looks for first: is it the GVL, whose fault, since when, what to do.
      class ShortAnswers
        # Pages that show what the report's next commands show.
        STEPS = {doctor: "health", capture: "captures", advise: "advice",
                 compare: "compare", blame: "blame", methods: "blame", connections: "blame",
                 processes: "processes", states: "requests", endpoints: "requests", jit: "jit"}.freeze
        BY_VERDICT = ReportScreen::NextCommands::BY_VERDICT
        MOST_STEPS = 2
        # Verdicts that are about stall.
        STALL = %i[waits_for waits_for_own one_cause account_cause spread handoff].freeze

        # @param series [Analysis::TimeSeries] of the same units
        # @param marks [Array<Analysis::SettingChanges::SettingChange>] within the span
        # @param link [#call] makes a link to the page of a row
        def initialize(summary, series, marks:, words:, link:)
          @summary = summary
          @series = series
          @marks = marks
          @words = words
          @link = link
        end

        # @return [View::Blocks::Facts]
        def block
          pairs = {word(:short_gvl) => gvl, word(:short_who) => cause, word(:short_when) => since}.compact
          steps.each_with_index { |step, index| pairs[word((index == 0) ? :short_do : :short_then)] = step }
          View::Blocks::Facts.new(title: word(:short_answers), pairs:)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def answer = @answer ||= Analysis::StallVerdict.new(@summary).call

        def stalls? = STALL.include?(answer.key)

        def gvl
          share = View::Figures.rounded_share(@summary.total.split.share(:stalled))
          word(stalls? ? :short_gvl_yes : :short_gvl_no, share:)
        end

        # @return [View::Blocks::Link, String, nil] nil if no one stalled
        def cause
          blame = @summary.blame
          main = blame.main_cause
          return if main.nil? || main.caused.zero?
          share = View::Figures.rounded_share(blame.caused_share(main))
          return word(:short_cause, name: thread_name(main), share:) if main.kind == :account
          found = @link.call(main)
          return word(:short_cause, name: found, share:) if found.is_a?(String)
          found.with(text: word(:short_cause, name: found.text, share:))
        end

        def thread_name(account)
          word(:account, name: View::Width.clean(account.name.delete_prefix("thread:")))
        end

        def since
          onset = StallOnset.new(@series).call
          return unless onset.at_s
          at = View::Figures::Moments.at(onset.at_s)
          text = word(:"short_since_#{onset.key}", at:)
          change = onset.rose? ? @marks.find { |mark| near?(mark, onset) } : nil
          return text unless change
          what = View::Width.truncate(View::Width.clean(change.differences.join(", ")), View::Headline::NAME)
          @words.sentences([text, word(:short_since_change, what:)])
        end

        def near?(mark, onset)
          (mark.at_s - onset.at_s).abs <= @series.step_s
        end

        def steps
          keys = BY_VERDICT.fetch(answer.key)
          keys = [:compare, *keys] if @summary.setting_names.most_of_a_role > 1
          keys.filter_map { |key| step(key) }.first(MOST_STEPS)
        end

        def step(key)
          return cause_step if key == :cause
          page = STEPS.fetch(key)
          page = "jobs" if page == "requests" && @summary.unit_kind == :job
          text = word(:short_step, page: word(:"title_#{page}"), what: word(:"screen_next_#{key}"))
          View::Blocks::Link.new(text:, page:)
        end

        def cause_step
          found = @link.call(answer.facts.fetch(:cause))
          return unless found.is_a?(View::Blocks::Link)
          found.with(text: word(:short_step, page: found.text, what: word(:screen_next_cause)))
        end
      end

      # For a first visit: which questions the data can answer already, and what the others need.
      class Guide
        # Seconds of data: a minute shows who stalls whom; with fewer than three blocks of a minute on each
        # side no interval can be computed; advice is sure after as many minutes as its rule wants.
        BLAME_S = 60
        COMPARE_S = 6 * 60
        ADVICE_S = Advise::Rules::RecordingRules::RecordingTooShort::WANTED_MINUTES * 60

        # @param data_s [Float] seconds in which requests and jobs were measured
        # @param units [Integer] requests and jobs of the span
        def initialize(data_s, units:, words:)
          @data_s = data_s
          @units = units
          @words = words
        end

        # @return [View::Section, nil] nil once there is enough for all of them
        def section
          return if @data_s >= ADVICE_S
          columns = [word(:guide_question), View::Blocks::Column.new(text: word(:guide_needs), words: true),
            word(:guide_now)]
          View::Section.new(title: word(:guide_title, data: duration(@data_s)), columns:, rows:)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def rows
          [row(:blame, "blame", left(BLAME_S)), row(:percentiles, "requests", missing),
            row(:compare, "compare", left(COMPARE_S)), row(:advice, "advice", left(ADVICE_S))]
        end

        def row(key, page, lacks)
          question = View::Blocks::Link.new(text: word(:"guide_#{key}"), page:)
          [question, word(:"guide_#{key}_needs"), lacks || word(:guide_ready)]
        end

        # @return [String, nil] nil if there is enough
        def left(wanted_s)
          word(:guide_left, time: duration(wanted_s - @data_s)) if @data_s < wanted_s
        end

        def missing
          word(:guide_missing, count: View::Headline::FEW - @units) if @units < View::Headline::FEW
        end

        def duration(seconds) = View::Figures.rough(seconds * NS)
      end

      # Since when the stall has its present level, by the steps of the charts.
      class StallOnset
        LEVEL = 0.5
        RECENT = 3

        # `key`: :start (for as long as there is data), :rose, :ended or :never; `at_s`: nil without data
        Onset = Data.define(:key, :at_s) do
          def rose? = key == :rose
        end

        # @param series [Analysis::TimeSeries]
        def initialize(series)
          @shares = series.at_s.zip(series.shares[:stalled]).select(&:last)
        end

        # @return [Onset]
        def call
          return Onset.new(key: :never, at_s: nil) if @shares.empty?
          high = @shares.reverse.take_while { |_, share| share >= threshold }.last
          return Onset.new(key: (high == @shares.first) ? :start : :rose, at_s: high.first) if high
          past = @shares.reverse.find { |_, share| share >= threshold }
          return Onset.new(key: :ended, at_s: past.first) if past
          Onset.new(key: :never, at_s: @shares.first.first)
        end

        private

        def threshold
          recent = @shares.last(RECENT).sum(&:last) / [@shares.size, RECENT].min
          [Analysis::Thresholds::STALLED, recent * LEVEL].max
        end
      end
    end
  end
end
