# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # What requests and jobs call, each call split into what took that long; and io that belongs to no call.
      class CallTable < View::SectionBase
        # Who stalled misleading calls is said too.
        def self.parts(summary)
          return [] if summary.by != :name
          return [:calls] unless summary.read?(:calls) && summary.calls.any?
          summary.misleading_calls.any? ? %i[calls repeats pairs] : %i[calls repeats]
        end

        COLUMNS = %i[calls_each calls_elapsed calls_remote calls_stalled calls_gc calls_ruby].freeze
        # Of all io, below which it is left out.
        OTHER_IO = 0.01
        # Of the stall, below which calls are not what stalls.
        MAIN = 0.2

        # @return [View::Section, nil] nil without calls
        def call
          return if summary.by != :name || listed.empty?
          View::Section.new(title: word(:calls), columns: [word(:by_name), *COLUMNS.map { |key| word(key) }],
            rows: listed.flat_map { |unit| rows(unit) },
            notes: [*sentences, *repeated, *misleading, word(:calls_note), *beyond(summary.calls)])
        end

        # @param row [Analysis::SeriesRow]
        # @return [String, nil] the calls during which it stalls most; nil if it stalls elsewhere
        def main_call(row)
          unit = summary.calls.find { |calls| calls.name == row.name }
          line = unit&.lines&.max_by(&:stalled_ns) or return
          share = line.stalled_ns.fdiv(row.stalled_ns)
          return if share < MAIN
          word(:calls_main, share: View::Figures.rounded_share([share, 1.0].min), system: called(line),
            calls: amount(line.each), elapsed: per_unit(unit, line.elapsed.sum),
            remote: per_unit(unit, line.remote.sum))
        end

        private

        def listed = summary.calls.first(limit)

        def rows(unit)
          lines = unit.lines.map do |line|
            [@words.labelled(label(unit.name), called(line)), *cells(unit, line)]
          end
          return lines if unit.other_io_ns < OTHER_IO * unit.io_ns
          other = per_unit(unit, unit.other_io_ns)
          lines << [@words.labelled(label(unit.name), word(:calls_other_io)), "", other, other, "", "", ""]
        end

        def cells(unit, line)
          means = [line.elapsed.sum, line.remote.sum, line.stalled_ns, line.gc_ns, line.ruby_ns]
          [amount(line.each), *means.map { |ns| per_unit(unit, ns) }]
        end

        def per_unit(unit, ns) = duration(ns.fdiv(unit.units))

        def called(line) = View::CalledSystem.call(line, @words)

        def key(line) = View::CalledSystem.key(line)

        # What the busiest called.
        def sentences
          listed.first(SENTENCES).map { |unit| sentence(unit, unit.lines.first) }
        end

        def sentence(unit, line)
          calls = amount(line.each)
          times = {elapsed: line.elapsed.sum, remote: line.remote.sum, stalled: line.stalled_ns,
                   gc: line.gc_ns, ruby: line.ruby_ns}
          sentence = line.inside? ? :calls_sentence_inside : :calls_sentence
          word(sentence, name: short(unit.name), system: called(line), calls:,
            remote_side: word(:"call_remote_#{key(line)}"), library: word(:"call_library_#{key(line)}"),
            **times.transform_values { |ns| per_unit(unit, ns) })
        end

        # Queries that come often in one request or job.
        def repeated
          summary.repeated_queries.first(SENTENCES).map do |query|
            times = {elapsed: query.elapsed_ns, remote: query.remote_ns, stalled: query.stalled_ns,
                     gc: query.gc_ns, ruby: query.ruby_ns}
            word(:calls_repeated, name: short(query.name), calls: amount(query.each),
              place: query.place && View::Width.clean(query.place),
              share: View::Figures.rounded_share(query.share),
              **times.transform_values { |ns| duration(ns.fdiv(query.units)) })
          end
        end

        def misleading
          summary.misleading_calls.first(SENTENCES).map do |line|
            times = line.misleading
            inside = "_inside" if line.inside?
            word(:"calls_misleading_#{times.of}#{inside}", name: short(line.name), system: called(line),
              elapsed: duration(times.elapsed_ns), remote: duration(times.remote_ns),
              share: "#{(line.stalled_share * 100).round} %", cause: cause(line),
              remote_side: word(:"call_remote_#{key(line)}"))
          end
        end

        # @return [String, nil] who stalled those requests or jobs most
        def cause(line)
          pair = summary.pairs.find { |one| one.victim.name == line.name && one.named? } or return
          causer = pair.causer
          return short(causer.name) unless causer.kind == :account
          word(:account, name: short(causer.name.delete_prefix("thread:")))
        end

        def short(name) = View::Width.truncate(label(name), NAME)
      end
    end
  end
end
