# frozen_string_literal: true

module Holdup
  module View
    # The audit log of settings that change while processes run: who changed what and why, the latest first.
    class AuditLog
      # Processes that are named.
      MOST_PIDS = 3
      # What is said of the figures in a reason, see ChangeReason::FIGURES.
      FIGURES = {
        "wall_p95" => :compare_wall_p95, "wait_mean" => :compare_wait_mean,
        "response_p95" => :compare_response_p95, "response_mean" => :compare_response_mean,
        "cpu_unit" => :compare_cpu_unit, "pool_wait" => :compare_pool_wait, "errors" => :compare_errors
      }.freeze

      # @param changes [Array<AuditEntry>] by time
      # @param limit [Integer] rows
      def initialize(changes, words:, limit: 20)
        @words = words
        @limit = limit
        @groups = AuditEntry::AlikeEntries.of(changes).reverse
        @hosts = changes.map(&:host).uniq.size > 1
      end

      # @param why [String] a ChangeReason
      # @return [String] in this language
      def self.reason(why, words)
        found = ChangeReason.parse(why)
        key = :"why_#{found.key}"
        return Width.clean(found.text || why) unless words.key?(key)
        facts = found.facts.transform_values { |fact| Width.clean(fact) }
        facts[:why] = reason(found.facts[:why], words) if facts.key?(:why)
        (ChangeReason::LISTS & facts.keys).each { |name| facts[name] = figures(found.figures(name), words) }
        words.verbatim(key, **facts)
      end

      def self.figures(judged, words)
        texts = judged.map do |one|
          name = FIGURES[one.name]
          change = Width.clean(one.change)
          figure = name ? words.call(name) : Width.clean(one.name)
          next words.call(:compare_visible, figure:, share: change) unless one.interval
          interval = words.range(*one.bounds.map { |bound| Width.clean(bound) })
          words.call(:compare_moved, figure:, change:, interval:)
        end
        texts.join(words.call(:compare_also))
      end
      private_class_method :figures

      def empty? = @groups.empty?

      # @return [Section] for a page: each fact in a column of its own
      def section
        columns = %i[who at lever from to host processes].map { |key| word(key) }
        columns << Blocks::Column.new(text: word(:why), words: true)
        Section.new(title: word(:title), columns:, rows: shown.map { |group| wide_row(group) }, notes:)
      end

      # @return [Section] for a terminal: with each reason under its row
      def narrow_section
        Section.new(title: word(:title), columns:, rows: shown.map { |group| row(group) }, notes:,
          details: shown.map { |group| reason(group) })
      end

      # @return [Array<String>] one for each row
      def sentences
        shown.map do |group|
          word(:sentence, at: at(group), who: who(group), change: change(group), processes: processes(group),
            why: reason(group))
        end
      end

      # Programs get all entries, oldest first.
      # @return [Array<Hash{Symbol => Object}>]
      def to_a
        @groups.reverse.map do |group|
          first = group.first
          {at: Time.at(first.at_s).utc.strftime("%FT%TZ"), host: Width.clean(first.host), event: first.event,
           plan: first.plan_id, lever: first.lever, from: first.from, to: first.to, who: first.who,
           by: Width.clean(first.by), why: self.class.reason(first.why, @words), processes: group.pids}
        end
      end

      private

      def word(key, **facts) = @words.call(:"audit_#{key}", **facts)

      def shown = @groups.first(@limit)

      def columns = %i[who at change processes].map { |key| word(key) }

      def row(group)
        moment = Blocks::Moment.new(at_s: group.first.at_s, seconds: true)
        [who(group), moment, change(group), processes(group)]
      end

      def wide_row(group)
        first = group.first
        [*row(group).first(2), first.lever, first.from.to_s, first.to.to_s, Width.clean(first.host),
          pids(group), reason(group)]
      end

      def reason(group)
        first = group.first
        by, why = [Width.clean(first.by), self.class.reason(first.why, @words)]
        (by.empty? || why.empty?) ? by + why : @words.labelled(by, why)
      end

      def at(group) = Figures::Moments.at(group.first.at_s, "%F %T")

      def who(group)
        first = group.first
        Width.clean(word(:"event_#{first.event}", plan: first.plan_id, who: word(:"by_#{first.who}")))
      end

      def change(group)
        first = group.first
        return word(:same, lever: first.lever, value: first.to) unless first.changed?
        "#{first.lever} #{first.from} -> #{first.to}"
      end

      def processes(group)
        @hosts ? @words.labelled(Width.clean(group.first.host), pids(group)) : pids(group)
      end

      def pids(group)
        pids = group.pids
        named = pids.first(MOST_PIDS).join(", ")
        (pids.size > MOST_PIDS) ? word(:more, named:, count: pids.size) : named
      end

      def notes
        hidden = @groups.size - @limit
        hidden.positive? ? [word(:hidden, count: Figures.count(hidden))] : []
      end
    end
  end
end
