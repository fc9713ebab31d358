# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # How long requests and jobs have database transactions open, and what takes that long.
      class TransactionTable < View::SectionBase
        def self.parts(summary)
          (summary.by == :name) ? [:transactions] : []
        end

        COLUMNS = %i[transactions_each transactions_open transactions_longest transactions_database
          transactions_calls transactions_waits calls_stalled transactions_starved
          calls_ruby].freeze

        # @return [View::Section, nil] nil without transactions
        def call
          return if summary.by != :name || listed.empty?
          View::Section.new(title: word(:database_transactions),
            columns: [word(:by_name), *COLUMNS.map { |key| word(key) }],
            rows: listed.map { |line| [label(line.name), *cells(line)] },
            notes: [*sentences, word(:transactions_note), *beyond(summary.transactions)])
        end

        private

        def listed = summary.transactions.first(limit)

        def cells(line)
          parts = [line.database_ns, line.other_calls_ns, line.other_waits_ns, line.stalled_ns,
            line.starved_ns, line.ruby_ns]
          [amount(line.each), mean(line, line.open.sum), duration(line.longest_ns),
            *parts.map { |ns| mean(line, ns) }]
        end

        def mean(line, ns) = duration(ns.fdiv(line.count))

        # Of those that were open longest.
        def sentences
          listed.first(SENTENCES).flat_map { |line| [sentence(line), *other_calls(line)] }
        end

        def sentence(line)
          times = {open: line.open.sum, stalled: line.stalled_ns, database: line.database_ns}
          word(:transactions_sentence, name: short(line.name),
            rolled_back: line.rolled_back.positive? ? View::Figures.count(line.rolled_back) : nil,
            **times.transform_values { |ns| mean(line, ns) })
        end

        def other_calls(line)
          line.other_calls.first(1).map do |call|
            word(:transactions_other_call, name: short(line.name),
              system: View::CalledSystem.call(call, @words), remote: mean(line, call.remote.sum))
          end
        end

        def short(name) = View::Width.truncate(label(name), NAME)
      end
    end
  end
end
