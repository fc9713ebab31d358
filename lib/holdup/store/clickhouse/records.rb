# frozen_string_literal: true

require "json"

module Holdup
  module Store
    class Clickhouse
      # Everything but windows and checkpoints: samples of processes and of single units in tables of their
      # own; checkpoints of collectors, skipped rows, the audit log, deaths, notices, outcomes and kept
      # answers as facts in `commits`.
      class Records
        # @param commits [#call] which commits count, see Spans#commits
        def initialize(client, names, commits:)
          @client = client
          @names = names
          @commits = commits
        end

        # @return [Array<Hash>] rows of `samples`; of several with one key the last one
        def sample_rows(samples)
          day = Clickhouse.day
          stamp = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
          by_key = samples.to_h { |sample| [sample.fetch_values(:at_s, :host, :pid), sample] }
          by_key.map do |(at_s, host, pid), sample|
            {day:, at_s:, host:, pid:, stamp:, facts: sample.except(:at_s, :host, :pid).to_json}
          end
        end

        # @return [Array<Hash>] rows of `unit_samples`
        def unit_sample_rows(blocks)
          day = Clickhouse.day
          blocks.group_by(&:key).map do |(start_s, setting, host), same|
            block = same.reduce(:merge)
            packed = [SampleBlock::Codec.merge(nil, block)].pack("m0")
            {day:, start_s:, setting: NameTable.setting_id(setting), host:, seen: block.seen, packed:}
          end
        end

        def collector_checkpoint_fact(checkpoint)
          {kind: "collector", name: checkpoint.key.to_json, stamp: checkpoint.at_ns,
           text: checkpoint.to_text}
        end

        # @return [Array<Hash>] one of each source
        def facts_of_sources(audit:, deaths:, returned:, notices:)
          audit_facts(audit) + death_facts(deaths) + return_facts(returned) + notice_facts(notices)
        end

        # One of each source.
        def audit_facts(entries)
          by_source = entries.to_h { |entry| [entry.source, entry] }
          by_source.map do |source, entry|
            {kind: "audit", name: source, stamp: entry.at_s, text: entry.to_h.except(:source).to_json}
          end
        end

        # One of each source.
        def death_facts(autopsies)
          autopsies.uniq(&:source).map do |autopsy|
            {kind: "death", name: autopsy.source, stamp: autopsy.at_s, text: autopsy.facts.to_json}
          end
        end

        # The same process may be lost again, so this says when it was missed.
        def return_facts(autopsies)
          autopsies.uniq(&:source).map do |autopsy|
            {kind: "returned", name: returned_name(autopsy), stamp: autopsy.at_s}
          end
        end

        # The rows of different writers stay apart, so that the first one can be found.
        def notice_facts(notices)
          notices.uniq(&:source).map do |notice|
            {kind: "notice", name: [notice.source, notice.by].to_json, stamp: notice.at_s,
             text: notice.stored.to_json}
          end
        end

        def outcome_fact(outcome)
          stamp = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
          {kind: "outcome", name: outcome.key.to_json, stamp:,
           text: outcome.to_h.merge(figures: outcome.figures.transform_values(&:to_h)).to_json}
        end

        def answer_fact(answer)
          {kind: "answer", name: answer.question, stamp: answer.at_s, text: answer.text}
        end

        # @param kept [RollupSteps::RollupState]
        def samples(from_s, to_s, kept, every_s: nil, ends: false, hosts: nil)
          return [] if hosts == []
          from_s = [from_s, kept.kept_from(:samples)].max
          span = "at_s >= #{from_s} AND at_s < #{to_s}"
          span += " AND host IN (#{hosts.map { |host| HttpClient.quote(host) }.join(", ")})" if hosts
          span += " AND (host, pid, at_s) IN (#{thinned_samples(span, every_s, ends)})" if every_s
          rows = @client.rows("SELECT at_s, host, pid, facts FROM samples #{@commits.call.counting(span)} " \
            "ORDER BY stamp DESC LIMIT 1 BY host, pid, at_s")
          samples = rows.map { |row| sample(*row) }
          samples.sort_by { |sample| sample.values_at(:at_s, :host, :pid) }
        end

        def unit_samples(from_s, to_s, kept, setting:, most:)
          Enumerator.new do |samples|
            blocks = to_enum(:each_block, from_s, to_s, kept, setting:, most:)
            SampleRetention.between(blocks, from_s, to_s).each { |sample| samples << sample }
          end
        end

        def unit_spans(starts, kept)
          blocks = {}
          each_block_in_parts(starts, kept) do |empty, parts|
            spans = parts.map { |_, packed| SampleBlock::Codec.load_spans(packed.unpack1("m"), empty) }
            (blocks[empty.start_s] ||= []).concat(spans)
          end
          blocks
        end

        def unit_sample_starts(from_s, to_s, kept)
          rows = @client.rows("SELECT start_s FROM unit_samples " \
            "#{unit_samples_between(from_s, to_s, kept)} GROUP BY start_s ORDER BY start_s")
          rows.flatten.map(&:to_i)
        end

        # @return [Array<(Integer, Integer)>] start and bytes of all blocks, newest first
        def unit_sample_sizes(kept)
          rows = @client.rows("SELECT start_s, sum(length(packed)) FROM unit_samples " \
            "#{unit_samples_between(0, 1 << 40, kept)} GROUP BY start_s ORDER BY start_s DESC")
          rows.map { |row| row.map(&:to_i) }
        end

        def collector_checkpoints(kept)
          from_ns = kept.kept_from(:collector_checkpoints)
          facts = latest("collector").select { |fact| fact.stamp >= from_ns }
          facts.map do |fact|
            host, folder = JSON.parse(fact.name)
            CollectorCheckpoint.load(host:, folder:, at_ns: fact.stamp, text: fact.text)
          end
        end

        def outcomes(kept)
          outcomes = latest("outcome").map { |fact| outcome(JSON.parse(fact.text, symbolize_names: true)) }
          outcomes.select { |one| one.at_s >= kept.kept_from(:outcomes) }.sort_by(&:at_s)
        end

        # @return [KeptAnswer, nil]
        def answer(question, kept)
          fact = latest("answer", name: question).first
          return if fact.nil? || fact.stamp < kept.kept_from(:answers)
          KeptAnswer.new(question:, at_s: fact.stamp, text: fact.text)
        end

        # @return [Integer, nil] of the oldest answer that is shown
        def oldest_answer_s(kept)
          rows = @client.rows("SELECT DISTINCT stamp FROM commits WHERE kind = 'answer' " \
            "AND stamp >= #{kept.kept_from(:answers)} ORDER BY stamp LIMIT 1")
          rows.dig(0, 0)&.to_i
        end

        def audit(from_s, to_s, kept)
          from_s = [from_s, kept.kept_from(:audit)].max
          facts = latest("audit").select { |fact| (from_s...to_s).cover?(fact.stamp) }
          entries = facts.map do |fact|
            AuditEntry.new(source: fact.name, **JSON.parse(fact.text, symbolize_names: true))
          end
          entries.sort_by { |entry| [entry.at_s, entry.source.size, entry.source] }
        end

        def deaths(from_s, to_s, kept)
          from_s = [from_s, kept.kept_from(:deaths)].max
          facts = latest("death").first(Autopsy::MOST).select { |fact| (from_s...to_s).cover?(fact.stamp) }
          deaths = facts.map do |fact|
            Autopsy.load(source: fact.name, facts: JSON.parse(fact.text, symbolize_names: true))
          end
          returned = latest("returned").map(&:name) if deaths.any? { |autopsy| autopsy.reason == :lost }
          deaths.reject! { |autopsy| returned&.include?(returned_name(autopsy)) }
          deaths.sort_by { |autopsy| [autopsy.at_s, autopsy.source] }
        end

        # Of several with one source the first one.
        def notices(from_s, to_s, kept)
          from_s = [from_s, kept.kept_from(:notices)].max
          notices = latest("notice").first(Notice::MOST).map do |fact|
            Notice.load(source: JSON.parse(fact.name).first, at_s: fact.stamp,
              facts: JSON.parse(fact.text, symbolize_names: true))
          end
          first = notices.sort_by { |notice| [notice.at_s, notice.by] }.uniq(&:source)
          first.select { |notice| (from_s...to_s).cover?(notice.at_s) }
            .sort_by { |notice| [notice.at_s, notice.source] }
        end

        # Each session has its own count.
        def skipped(kept)
          found = CommitSession::CommitFacts.new(@client, "kind IN ('commit', 'close', 'skipped')")
          rows = found.counting("skipped").map { |fact| skipped_row(fact) }
          rows.select! { |row| row.at_s >= kept.kept_from(:skipped) }
          merged = rows.sort_by(&:at_s).group_by(&:key).values.map { |same| same.reduce(:merge) }
          merged.sort_by { |row| -row.at_s }.first(SkippedRow::MOST)
        end

        private

        def returned_name(autopsy) = [autopsy.source, autopsy.gone_ns].to_json

        # Sorting all samples, only to leave out most of them, takes three times as long.
        # @return [String] a select of the last sample of each process in each step, and perhaps the first
        def thinned_samples(span, every_s, ends)
          chosen = ends ? "arrayJoin([min(at_s), max(at_s)])" : "max(at_s)"
          "SELECT host, pid, #{chosen} FROM samples #{@commits.call.counting(span)} " \
            "GROUP BY host, pid, intDiv(at_s, #{every_s})"
        end

        def sample(at_s, host, pid, facts)
          {at_s: at_s.to_i, host:, pid: pid.to_i, **JSON.parse(facts, symbolize_names: true)}
        end

        def unit_samples_between(from_s, to_s, kept)
          @commits.call.counting("start_s > #{from_s - SampleBlock::SECONDS} AND start_s < #{to_s} " \
            "AND start_s >= #{kept.kept_from(:unit_samples)}")
        end

        # One after the other, because each may have tens of thousands of units.
        def each_block(from_s, to_s, kept, setting:, most:)
          block_starts(from_s, to_s, kept).each do |start_s|
            each_block_in_parts([start_s], kept, setting:) { |empty, parts| yield block(empty, parts, most) }
          end
        end

        # Each block without units, and what the commits added to it: how many units each saw, and which it
        # kept.
        def each_block_in_parts(starts, kept, setting: nil)
          starts = starts.select { |start_s| start_s >= kept.kept_from(:unit_samples) }
          return if starts.empty?
          only = " AND setting = #{NameTable.setting_id(setting)}" if setting
          rows = @client.rows("SELECT start_s, setting, host, seen, packed FROM unit_samples " \
            "#{@commits.call.counting("start_s IN (#{starts.join(", ")})#{only}")} " \
            "ORDER BY start_s, setting, host LIMIT 1 BY start_s, setting, host, session, number")
          rows.group_by { |row| row.first(3) }.each do |(start_s, id, host), same|
            empty = SampleBlock.new(setting: @names.setting(id), host: -host, start_s: start_s.to_i, seen: 0,
              unit_samples: [])
            yield empty, same.map { |row| row.last(2) }
          end
        end

        # No statement asks for the blocks if only one can be in the span.
        def block_starts(from_s, to_s, kept)
          first_s = from_s / SampleBlock::SECONDS * SampleBlock::SECONDS
          (to_s <= first_s + SampleBlock::SECONDS) ? [first_s] : unit_sample_starts(from_s, to_s, kept)
        end

        def block(empty, parts, most)
          first, *others = parts.map do |seen, packed|
            SampleBlock::Codec.load(packed.unpack1("m"), empty.with(seen: seen.to_i), most:)
          end
          others.empty? ? first : first.merge(*others, most:)
        end

        # @param name [String, nil] nil: all
        # @return [Array<CommitFacts::Fact>] one of each name, the latest first
        def latest(kind, name: nil)
          named = " AND name = #{HttpClient.quote(name)}" if name
          seen = CommitSession::CommitFacts.new(@client,
            "kind IN ('commit', 'close') OR (kind = '#{kind}'#{named})")
          facts = seen.counting(kind)
          facts.group_by(&:name).values.map { |same| same.max_by(&:stamp) }.sort_by { |fact| -fact.stamp }
        end

        def outcome(facts)
          figures = facts[:figures].transform_values { |figure| PredictionOutcome::Quantity.new(**figure) }
          PredictionOutcome.new(**facts, kind: facts[:kind].to_sym, figures:)
        end

        def skipped_row(fact)
          host, kind, name = JSON.parse(fact.name)
          reason, count = JSON.parse(fact.text)
          SkippedRow.new(at_s: fact.stamp, host:, kind:, name:, reason:, count:)
        end
      end
    end
  end
end
