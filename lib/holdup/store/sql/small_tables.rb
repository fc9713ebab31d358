# frozen_string_literal: true

require "json"
require "sequel/core"

module Holdup
  module Store
    class Sql
      # The small tables, one class each: all but windows and unit samples.
      module SmallTables
        # How far the collector has carried each segment.
        class Checkpoints
          SHORT_BYTES = 4096
          private_constant :SHORT_BYTES

          def initialize(connection)
            @connection = connection
          end

          # @param prefix [String] of the segments
          # @return [Hash{String => String}] segment => binary
          def to_h(prefix = "")
            checkpoints = @connection.read do |db|
              pattern = "#{db.dataset.escape_like(prefix)}%"
              db[:checkpoints].where(Sequel.like(:segment, pattern)).select_hash(:segment, :checkpoint)
            end
            checkpoints.transform_values { |checkpoint| String.new(checkpoint) }
          end

          # @return [String, nil] binary
          def [](segment)
            checkpoint = @connection.read { |db| db[:checkpoints].where(segment:).get(:checkpoint) }
            checkpoint && String.new(checkpoint)
          end

          # Deletes checkpoints of folders that are gone for long.
          # @param ids [Array<String>] see CheckpointNames
          def prune(ids, now_s)
            return if ids.empty?
            @connection.write do |db|
              ids.each { |id| save(pruned(db, id, now_s)) }
              tokens = db[:checkpoints].where(Sequel.like(:segment, "%#{CheckpointNames::TOKEN}"))
              texts = tokens.select_hash(:segment, :checkpoint)
              db[:checkpoints].where(segment: CheckpointNames.forgotten(texts, now_s)).delete
            end
          end

          # Uses few statements, because a server may be far away; each long checkpoint has one of its own.
          # @param checkpoints [Hash{String => String, nil}] nil deletes
          def save(checkpoints)
            return if checkpoints.empty?
            rows = checkpoints.compact.map { |segment, checkpoint| [segment, Sequel.blob(checkpoint)] }
            short, long = rows.partition { |_, checkpoint| checkpoint.bytesize < SHORT_BYTES }
            @connection.write do |db|
              db[:checkpoints].where(segment: checkpoints.keys).delete
              db[:checkpoints].import(%i[segment checkpoint], short, slice: WindowRows::INSERT_SLICE)
              long.each { |row| @connection.dialect.insert_checkpoint(db, *row) }
            end
          end

          private

          def pruned(db, id, now_s)
            own = db[:checkpoints].where(Sequel.like(:segment, "#{CheckpointNames.scope(id)}%"))
            token = self[CheckpointNames.token(id)]
            CheckpointNames.pruned(id, own.select_map(:segment), token, now_s)
          end
        end

        # How far collectors have come: a row for each host and folder.
        class CollectorCheckpoints
          def initialize(connection)
            @connection = connection
          end

          # Replaces the one before.
          def save(checkpoint)
            @connection.write do |db|
              rows = db[:collector_checkpoints]
              known = rows.where(host: checkpoint.host, folder: checkpoint.folder)
              facts = {at_ns: checkpoint.at_ns, units: checkpoint.to_text}
              next if known.update(facts).positive?
              rows.insert(host: checkpoint.host, folder: checkpoint.folder, **facts)
            end
          end

          # The latest first.
          def to_a
            rows = @connection.read { |db| db[:collector_checkpoints].reverse(:at_ns).all }
            rows.filter_map { |row| checkpoint(row) }
          end

          def prune(now_s)
            before_ns = (now_s - CollectorCheckpoint::KEEP_S) * NS
            @connection.write { |db| db[:collector_checkpoints].where { at_ns < before_ns }.delete }
          end

          private

          def checkpoint(row)
            CollectorCheckpoint.load(**row.slice(:host, :folder, :at_ns), text: row[:units])
          rescue JSON::ParserError, ArgumentError, KeyError, TypeError, NoMethodError
            # It is damaged: the next round writes another.
            nil
          end
        end

        # What could not be carried or kept.
        class SkippedRows
          def initialize(connection)
            @connection = connection
          end

          # Adds them up with the stored ones.
          def add(rows)
            return if rows.empty?
            @connection.write { |db| rows.each { |row| add_one(db[:skipped_rows], row) } }
          end

          # The latest first.
          def to_a
            @connection.read do |db|
              rows = db[:skipped_rows].select(*SkippedRow.members).reverse(:at_s, :id)
              rows.map { |row| SkippedRow.new(**row) }
            end
          end

          def prune(now_s)
            @connection.write do |db|
              db[:skipped_rows].where { at_s < now_s - SkippedRow::KEEP_S }.delete
              kept = db[:skipped_rows].reverse(:at_s, :id).limit(SkippedRow::MOST).select_map(:id)
              db[:skipped_rows].exclude(id: kept).delete if kept.size == SkippedRow::MOST
            end
          end

          private

          def add_one(table, row)
            key = {host: row.host, kind: row.kind.name, name: row.name}
            facts = {at_s: row.at_s, reason: row.reason}
            updated = table.where(key).update(**facts, count: Sequel[:count] + row.count)
            table.insert(**key, **facts, count: row.count) if updated.zero?
          end
        end

        # The audit log of settings that change while processes run.
        class AuditEntries
          COLUMNS = %i[source at_s host event].freeze
          private_constant :COLUMNS

          def initialize(connection)
            @connection = connection
          end

          # One of each source.
          def add(entries)
            return if entries.empty?
            rows = entries.to_h { |entry| [entry.source, row(entry.to_h)] }
            @connection.write do |db|
              known = db[:audit_entries].where(source: rows.keys).select_map(:source)
              db[:audit_entries].multi_insert(rows.except(*known).values)
            end
          end

          def between(from_s, to_s, events)
            @connection.read do |db|
              rows = db[:audit_entries].where { (at_s >= from_s) & (at_s < to_s) }
              rows = rows.where(event: events.map(&:to_s)) if events
              rows.order(:at_s, :id).all.filter_map { |row| entry(row) }
            end
          end

          def delete_before(second)
            @connection.write { |db| db[:audit_entries].where { at_s < second }.delete }
          end

          private

          def row(facts)
            {**facts.slice(*COLUMNS), event: facts[:event].to_s, facts: JSON.generate(facts.except(*COLUMNS))}
          end

          def entry(row)
            AuditEntry.new(**row.slice(*COLUMNS), **JSON.parse(row[:facts], symbolize_names: true))
          rescue JSON::ParserError, ArgumentError # damaged
            nil
          end
        end

        # The last path of each series of requests: a column of the series, not part of its identity.
        class Paths
          def initialize(connection, series)
            @connection = connection
            @series = series
          end

          def save(paths)
            @connection.write do |db|
              by_id = paths.transform_keys { |series| @series.id(series) }
              stored = db[:series].where(id: by_id.keys).select_hash(:id, :path)
              # The order is always the same, so that two processes never wait for each other.
              changed = by_id.reject { |id, path| stored[id] == path }.sort
              changed.each { |id, path| db[:series].where(id:).update(path:) }
            end
          end

          def to_h
            paths = @connection.read { |db| db[:series].exclude(path: nil).select_hash(:id, :path) }
            paths.transform_keys { |id| @series.value(id) }
          end
        end

        # Samples of processes. Only time, host and process are columns; the other facts vary with Ruby
        # versions and servers.
        class ProcessSamples
          def initialize(connection, hosts)
            @connection = connection
            @hosts = hosts
          end

          def add(samples)
            @connection.write do |db|
              samples.each do |sample|
                host_id = @hosts.id(sample.fetch(:host))
                key = {at_s: sample.fetch(:at_s), host_id:, pid: sample.fetch(:pid)}
                facts = JSON.generate(sample.except(:at_s, :host, :pid))
                db[:process_samples].where(key).delete
                db[:process_samples].insert(key.merge(facts:))
              end
            end
          end

          # See Reader#processes.
          def between(from_s, to_s, every_s: nil, ends: false, hosts: nil)
            @connection.read do |db|
              rows = db[:process_samples].where { (at_s >= from_s) & (at_s < to_s) }
              rows = rows.where(host_id: host_ids(hosts)) if hosts
              rows = thinned(db, rows, every_s, ends) if every_s
              rows.order(:at_s, :host_id, :pid).all.filter_map { |row| sample(row) }
            end
          end

          def delete_before(second)
            @connection.write { |db| db[:process_samples].where { at_s < second }.delete }
          end

          private

          def host_ids(names) = @hosts.load.select { |_, host| names.include?(host) }.keys

          # Uses only the index; reads the long facts only for the selected rows. Ids ascend with time.
          def thinned(db, samples, every_s, ends)
            step = Sequel[:at_s].sql_number - Sequel[:at_s].sql_number % every_s
            steps = samples.group(:host_id, :pid, step)
            return db[:process_samples].where(id: steps.select { max(:id) }) unless ends
            firsts_and_lasts = steps.select { [min(:id).as(first_id), max(:id).as(last_id)] }
            either = db[:steps].select(:first_id).union(db[:steps].select(:last_id))
            db[:process_samples].with(:steps, firsts_and_lasts).where(id: either)
          end

          def sample(row)
            facts = JSON.parse(row[:facts], symbolize_names: true)
            {at_s: row[:at_s], host: @hosts.value(row[:host_id]), pid: row[:pid], **facts}
          rescue JSON::ParserError # one that is damaged: there are more
            nil
          end
        end

        # Outcomes of predictions, a row for each figure.
        class PredictionOutcomes
          FIGURE = PredictionOutcome::Quantity.members.freeze
          OUTCOME = (PredictionOutcome.members - %i[figures]).freeze
          private_constant :FIGURE, :OUTCOME

          def initialize(connection)
            @connection = connection
          end

          # Replaces the one with the same key.
          def keep(outcome)
            key = outcome.key.merge(kind: outcome.kind.to_s)
            facts = {**key, at_s: outcome.at_s, units: outcome.units}
            rows = outcome.figures.map { |name, figure| {**facts, figure: name.to_s, **figure.to_h} }
            @connection.write do |db|
              db[:prediction_outcomes].where(key).delete
              db[:prediction_outcomes].multi_insert(rows)
            end
          end

          def to_a
            rows = @connection.read { |db| db[:prediction_outcomes].order(:at_s, :id).all }
            rows.group_by { |row| row.slice(*OUTCOME) }.map { |facts, same| outcome(facts, same) }
          end

          def delete_before(second)
            @connection.write { |db| db[:prediction_outcomes].where { at_s < second }.delete }
          end

          private

          def outcome(facts, rows)
            figures = rows.to_h do |row|
              [row[:figure].to_sym, PredictionOutcome::Quantity.new(**row.slice(*FIGURE))]
            end
            PredictionOutcome.new(**facts, kind: facts[:kind].to_sym, figures:)
          end
        end

        # Answers that are kept ready, one to each question.
        class KeptAnswers
          def initialize(connection)
            @connection = connection
          end

          # Replaces the one to the same question.
          def keep(answer)
            @connection.write do |db|
              db[:answers].where(question: answer.question).delete
              db[:answers].insert(**answer.to_h, text: Sequel.blob(answer.text))
            end
          end

          def find(question)
            row = @connection.read { |db| db[:answers].first(question:) }
            row && KeptAnswer.new(**row, text: Utf8.of(row[:text]))
          end

          def delete_before(second)
            @connection.write { |db| db[:answers].where { at_s < second }.delete }
          end
        end
      end
    end
  end
end
