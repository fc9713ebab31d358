# frozen_string_literal: true

module Holdup
  module Notify
    # The digest of a week: what got slower, who caused it, what changed, and what the fleet could save. It
    # has no tables, so that chats show it as mails do.
    class WeeklyDigest
      # Sentences of a part.
      MOST = 5
      # Whoever caused less of the stall is not named.
      LEAST_CAUSED = 0.05
      # Keeps a sentence readable with any name in it.
      NAME = 60
      # Of the text, which chats and mails wrap themselves.
      WIDTH = 10_000

      # @param week [WeekFacts]
      def initialize(week, words:)
        @week = week
        @words = words
      end

      # @return [View::Page]
      def page
        parts = {slower:, causes:, changed:, saving:}
        sections = parts.map do |key, notes|
          notes = [word(:"no_#{key}")] if notes.empty?
          View::Section.new(title: word(key), columns: [], rows: [], notes:)
        end
        View::Page.new(title: word(:title), about: [span], blocks: [*leads, *sections])
      end

      # @param notice [Notice]
      # @param web_url [String, nil] address of the dashboard
      # @return [NoticeMessage]
      def message(notice, web_url: nil)
        page = self.page
        text = View::Text.new(page.with(title: ""), width: WIDTH).call.strip
        NoticeMessage.new(rule: notice.rule, state: notice.state, at_s: notice.at_s, source: notice.source,
          title: page.title, text:, figure: nil, link: link(web_url), command: "holdup notify --digest",
          html: View::Html.of(page, words: @words).call)
      end

      private

      def word(key, **facts) = @words.call(:"notify_digest_#{key}", **facts)

      def span = View::Figures::Moments.span(@week.from_s, @week.to_s)

      def link(web_url)
        return unless web_url
        from, to = [@week.from_s, @week.to_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
        "#{web_url.chomp("/")}/?since=#{from}&until=#{to}"
      end

      def leads
        texts = DigestReader::KINDS.filter_map { |kind| lead(kind) }
        texts << word(:first) unless @week.before
        texts.map { |text| View::Blocks::Lead.new(text:) }
      end

      # @return [String, nil] nil: nothing of the kind ran
      def lead(kind)
        now = KindFigures.of(@week.after, kind) or return
        before = KindFigures.of(@week.before, kind)
        return word(:figures_alone, **facts(kind, now)) unless before
        earlier = facts(kind, before).transform_keys { |key| :"before_#{key}" }
        figures = word(:figures, **facts(kind, now), **earlier)
        compared = @week.comparisons[kind]
        compared ? @words.sentences([figures, sentences(compared).lead]) : figures
      end

      def facts(kind, figures)
        {units: View::Figures.count(figures.count), kind: @words.units(kind, figures.count),
         p95: View::Figures.duration(figures.wall.quantile(0.95)),
         stalled: View::Figures.share(figures.stalled_share)}
      end

      def sentences(comparison)
        Compare::Sentences.new(comparison, words: @words)
      end

      # What is beyond chance.
      def slower
        known = @week.comparisons.values.flat_map(&:contributions).select(&:range)
        found = known.select { |one| one.range.begin.positive? }
        found.max_by(MOST, &:moved_ns).map do |one|
          before, after = one.means.map { |ns| View::Figures.duration(ns) }
          word(:slower_one, name: name(one.series.name), before:, after:,
            moved: View::Figures.duration(one.moved_ns))
        end
      end

      def causes
        compared = @week.comparisons.values.flat_map { |comparison| sentences(comparison).holders }
        [verdict, *causers, *compared]
      end

      def verdict = View::Headline.new(@week.after, words: @words).verdict

      def causers
        before = @week.before ? shares(@week.before.blame) : {}
        shares(@week.after.blame).select { |_, share| share >= LEAST_CAUSED }.first(MOST).map do |name, share|
          facts = {name: name(name), share: View::Figures.share(share)}
          next word(:cause_alone, **facts) unless @week.before
          word(:cause, **facts, before: View::Figures.share(before.fetch(name, 0.0)))
        end
      end

      # @return [Hash{String => Float}] shares of the stall of requests and jobs, the largest first
      def shares(blame)
        all = (blame.series + blame.accounts).group_by(&:name)
        shares = all.transform_values { |same| same.sum { |account| blame.caused_share(account) } }
        shares.sort_by { |_, share| -share }.to_h
      end

      def name(text) = View::Width.truncate(View::Width.clean(text), NAME)

      def changed = [*settings, *acts, *deaths, *notices]

      def settings
        changes = @week.changes.last(MOST)
        texts = View::Charts::TimeSeries::Changes.new(changes, words: @words).texts
        more = @week.changes.size - changes.size
        said = changes.zip(texts).map do |change, text|
          word(:setting, at: View::Figures::Moments.at(change.at_s), text:,
            server: View::Width.clean(change.server || @words.call(:not_known)))
        end
        more.positive? ? [*said, word(:more_settings, count: more)] : said
      end

      def acts
        @week.acts.last(MOST).map do |act|
          change = act.first
          text = @words.call(:notify_found_autopilot, lever: change.lever, from: change.from, to: change.to,
            why: View::AuditLog.reason(change.why.to_s, @words))
          word(:act, at: View::Figures::Moments.at(change.at_s), text:)
        end
      end

      def deaths
        count = @week.deaths.size
        count.zero? ? [] : [@words.call(:notify_found_deaths, count:)]
      end

      def notices
        by_rule = @week.notices.group_by(&:rule).transform_values(&:size)
        by_rule.map { |rule, count| word(:told, title: @words.call(:"notify_title_#{rule}"), count:) }
      end

      def saving
        @week.advice.flat_map { |answer| Advise::WeeklyAdvice.new(answer, words: @words).to_a }
      end

      # All requests, or all jobs, of a week.
      KindFigures = Data.define(:count, :wall, :stalled_share) do
        # @param summary [Analysis::Summary, nil]
        # @return [KindFigures, nil] nil without any
        def self.of(summary, kind)
          rows = summary&.rows.to_a.select { |row| row.kind == kind && row.count.positive? }
          return if rows.empty?
          wall, stalled = %i[wall stalled].map { |key| Histogram.sum(rows.map { |row| row.histogram(key) }) }
          share = wall.sum.zero? ? 0.0 : stalled.sum.fdiv(wall.sum)
          new(count: rows.sum(&:count), wall:, stalled_share: share)
        end
      end
      private_constant :KindFigures
    end
  end
end
