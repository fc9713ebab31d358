# frozen_string_literal: true

require "json"

module Holdup
  module Experiment
    # Experiments whose arms take turns on running processes, and the autopilot: what runs now, what was
    # found, and who changed what.
    class Page < View::PageBase
      SCHEMA = 1
      # Of experiments without a verdict in the log, how many are judged: each reads its hours.
      MOST_JUDGED = 3
      # Before its start, the traffic that says what an experiment can show.
      BEFORE_S = 3 * 3600

      def blocks
        return [*never, *waits] if all.empty? && changes.empty?
        [*now, *waits, results, log.section]
      end

      def asks = []

      # For programs.
      # @return [String] ends with a newline
      def json
        facts = {schema: SCHEMA, experiments: all.first(query.limit).map { |one| facts(one) },
                 permanent: kept.map { |one| diff(one) }.first, changes: log.to_a, autopilot: status&.to_h}
        "#{JSON.pretty_generate(facts)}\n"
      end

      private

      def word(key, **facts) = @words.call(:"experiments_#{key}", **facts)

      def refuse_unmatched
      end

      def now_s = query.until_s

      def found = @found ||= LiveExperimentsReader.new(store, now_s:)

      def all = found.to_a

      def kept = found.kept

      def changes = @changes ||= store.audit_entries(query.from_s, now_s + 1)

      def log = @log ||= View::AuditLog.new(changes, words: @words, limit: query.limit)

      def never
        [View::Blocks::Lead.new(text: word(:never)),
          to_copy("experiment plan", purpose: word(:plan_command)), how_to_begin]
      end

      def how_to_begin
        notes = View::Blocks::Notes.new(texts: [word(:try), word(:automatic)])
        View::Blocks::Fold.new(title: word(:begin), inner: [notes])
      end

      # @return [String]
      def lever(one) = (one.plan || one.kept || one.ended)&.lever || "threads"

      # @return [Symbol] of the sentence that speaks of its lever
      def of_lever(key, one) = (lever(one) == "processes") ? :"#{key}_processes" : key

      # @return [Array<Object>] Blocks about what runs and what is kept
      def now
        lines = [*found.running.flat_map { |one| running(one) }, *kept.flat_map { |one| keeping(one) }]
        lines.empty? ? [View::Blocks::Lead.new(text: word(:nothing_now))] : lines
      end

      # What the collector of this host left in its folder, whatever hosts the page is about.
      # @return [Autopilot::StatusText, nil] nil: no autopilot was switched on here, or in a report
      def status
        return @status if defined?(@status)
        text = @context && AutopilotFolder.new(@context.dir).state
        status = text && Autopilot::StatusText.new(Autopilot::State.parse(text), words: @words, now_s:)
        @status = status&.on? ? status : nil
      end

      # @return [Array<Object>] why the autopilot changes nothing now
      def waits
        return [] unless status&.waiting?
        pairs = {word(:autopilot_waits) => status.reason}
        [View::Blocks::Facts.new(title: word(:autopilot), pairs:)]
      end

      def running(one)
        control, candidate = one.plan.values
        until_s = one.plan.turns.ends_s
        text = word(of_lever(:running, one), id: one.id, host: View::Width.clean(one.host), control:,
          candidate:, left: View::Figures.rough((until_s - now_s) * NS))
        [View::Blocks::Lead.new(text:),
          View::Blocks::Facts.new(title: word(:details, id: one.id), pairs: details(one))]
      end

      def details(one)
        turns = one.plan.turns
        turn = turns.turn_at(now_s)
        control, candidate = one.plan.values
        {word(:arms) => word(of_lever(:both, one), control:, candidate:),
         word(:turn) => turn ? turn_text(turns, turn) : word(:not_yet),
         word(:ends) => View::Blocks::Moment.new(at_s: turns.ends_s),
         word(:processes) => View::Figures.count(one.pids.size),
         word(:asked) => asked(one.plan),
         word(:verdict) => verdict(one), word(:shows) => shows(one)}
      end

      def asked(plan)
        by, why = [View::Width.clean(plan.by), reason(plan.why)]
        (by.empty? || why.empty?) ? by + why : @words.labelled(by, why)
      end

      def reason(why) = View::AuditLog.reason(why, @words)

      def turn_text(turns, turn)
        facts = {number: turn.index + 1, count: 2 * (turns.equal_cycles + turns.cycles),
                 arm: @words.call(:"experiment_#{turn.arm}")}
        return word(:turn_of, **facts) if turn.phase == :different
        word(:turn_of_equals, **facts, changes: View::Figures.rough((turns.changes_s - now_s) * NS))
      end

      # The smallest difference that it will show.
      def shows(one)
        turns = one.plan.turns
        arms = Reader.new(store, from_s: one.at_s - BEFORE_S, to_s: now_s, filter:)
        shown = arms.outlook&.effects.to_a.filter_map do |effect|
          share = effect.share(turns.ends_s - turns.changes_s) or next
          figure = cells.name(effect.estimate.metric)
          @words.call(:compare_visible, figure:, share: cells.visible(share))
        end
        shown.empty? ? word(:shows_unknown) : shown.join(@words.call(:compare_also))
      end

      def cells = @cells ||= Compare::Report::Cells.new(@words)

      def filter = Analysis::UnitFilter.new(kind: :request)

      def keeping(one)
        text = word(of_lever(:keeping, one), host: View::Width.clean(one.host), from: one.kept.from,
          to: one.kept.to, why: reason(one.kept.why))
        place, *lines = diff(one).lines(chomp: true)
        part = Advise::AdviceFindings::Part.new(label: word(:change), text: word(:permanent),
          diff: lines.drop(1))
        item = Advise::AdviceFindings::FindingText.new(rule: :kept,
          what: View::Width.clean(place.delete_prefix("--- ")),
          parts: [part])
        [View::Blocks::Lead.new(text:, level: :good),
          View::Blocks::Findings.new(title: word(:permanent_title), items: [item], none: "")]
      end

      # @return [String]
      def diff(one)
        values = [one.plan&.values&.first || one.kept.from, one.kept.to]
        Result::PermanentChange.of(values, where: found.where(lever(one)), lever: lever(one))
      end

      def results
        columns = [word(:experiment), word(:began), word(:values), word(:processes),
          View::Blocks::Column.new(text: word(:verdict), words: true)]
        shown = all.first(query.limit)
        View::Section.new(title: word(:results), columns:, rows: shown.map { |one| row(one) },
          notes: shown.empty? ? [word(:no_results)] : [])
      end

      def row(one)
        values = one.plan ? "#{lever(one)} #{one.plan.values.join(" | ")}" : View::Figures::NONE
        [View::Width.clean("#{one.id} (#{one.host})"), View::Blocks::Moment.new(at_s: one.at_s), values,
          View::Figures.count(one.pids.size), verdict(one)]
      end

      def verdict(one)
        @verdicts ||= {}
        @verdicts[one] ||= View::Width.clean(written(one) || judged(one) || word(:not_judged))
      end

      # What the autopilot found, and why an experiment ended before its time.
      def written(one)
        return reason(one.kept.why) if one.kept && one.ended.nil?
        return unless one.ended
        early = one.plan.nil? || one.ended.at_s < one.plan.turns.ends_s
        reason(one.ended.why) if early || one.plan.autopilot?
      end

      # @return [String, nil] nil: its minutes are gone, or others were judged
      def judged(one)
        turns = one.plan&.turns or return
        @judged = @judged.to_i + 1
        return if @judged > MOST_JUDGED || store.finest_s(turns.from_s) > MINUTE_S
        arms = Reader.new(store, from_s: turns.from_s, to_s: now_s, filter:)
        Report.new(arms.in_turns(one.plan), words: @words).verdict
      rescue Error # the arms were not measured yet
        word(:not_yet_judged)
      end

      def facts(one)
        {id: one.id, host: View::Width.clean(one.host), began: iso(one.at_s), running: one.running?(now_s),
         kept: one.kept?, lever: lever(one), values: one.plan&.values,
         threads: (one.plan&.values if lever(one) == "threads"), ends: one.plan && iso(one.plan.turns.ends_s),
         by: View::Width.clean(one.plan&.by.to_s), why: reason(one.plan&.why.to_s), processes: one.pids,
         verdict: verdict(one)}
      end

      def iso(second) = Time.at(second).utc.strftime("%FT%TZ")
    end
  end
end
