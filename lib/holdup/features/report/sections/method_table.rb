# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Which methods keep the other threads waiting: where holds of the GVL were sampled.
      class MethodTable < View::SectionBase
        def self.parts(summary)
          (summary.by == :name) ? [:holding_methods] : []
        end

        # @return [Array<Symbol>] parts of the summary that the sentences need
        def self.answer_parts(summary) = parts(summary)

        COLUMNS = %i[methods_share methods_caused methods_gc methods_native methods_called].freeze
        # A terminal leaves these out, the last first, rather than cut the names.
        OPTIONAL = %i[methods_gc methods_native methods_called].freeze
        # Columns of a revision.
        REVISION = 7
        # A method that has fewer samples under both revisions has no sentence about them.
        FEWEST = 20
        # Neither has one that changed by less.
        CHANGED = 1.5

        # @return [View::Section, nil] nil where no hold was sampled
        def call
          return if summary.by != :name || summary.holding_methods.empty?
          View::Section.new(title: word(:methods),
            columns: [word(:methods_name), *COLUMNS.map { |key| column(key) }, *revision_columns],
            rows: listed.map { |line| [*row(line), *under_revisions(line)] },
            notes: [*changes, word(:methods_note, covered:), *beyond(summary.holding_methods)])
        end

        # The method that causes most, for each of those that cause most.
        # @return [Array<String>]
        def sentences
          return [] if summary.by != :name
          summary.holding_methods.group_by(&:name).values.first(SENTENCES).map { |lines| sentence(lines) }
        end

        # @param name [String] of requests or jobs, or of a thread's account
        # @return [String, nil] the method that causes most of their stall; nil if no sample says so
        def main_method(name)
          return if summary.by != :name
          lines = summary.holding_methods.select { |line| line.name == name }
          lines.any? ? word(:methods_main, **place(lines), inside: part_of_most(lines.first)) : nil
        end

        private

        def column(key)
          View::Blocks::Column.new(text: word(key), optional: OPTIONAL.include?(key))
        end

        def listed = summary.holding_methods.first(limit)

        # The last two that ran the chosen requests and jobs; none if there was only one.
        def revisions
          @revisions ||= (summary.revisions.order.size < 2) ? [] : summary.revisions.order.last(2)
        end

        def revision_columns
          revisions.map { |revision| word(:methods_each, revision: short(revision)) }
        end

        def short(revision) = View::Width.clean(revision)[0, REVISION]

        def under_revisions(line)
          revisions.map { |revision| duration(under(line, revision)&.each_ns) }
        end

        def under(line, revision)
          line.revisions.find { |one| one.revision == revision }
        end

        # What the last revision changed, as far as so few samples show it.
        def changes
          changed = listed.filter_map { |line| change(line, *revisions.map { |one| under(line, one) }) }
          changed.first(SENTENCES)
        end

        def change(line, before = nil, after = nil)
          return if before.nil? || after.nil? || [before.samples, after.samples].max < FEWEST
          was_ns, is_ns = [before, after].map(&:each_ns)
          return if is_ns.between?(was_ns / CHANGED, was_ns * CHANGED)
          word(change_key(was_ns, is_ns), revision: short(after.revision), times: times(was_ns, is_ns),
            method: View::Width.clean(line.label),
            location: line.location && View::Width.clean(line.location),
            name: View::Width.truncate(label(line.name), NAME), was: duration(was_ns), is: duration(is_ns))
        end

        def change_key(was_ns, is_ns)
          return :methods_new if was_ns.zero?
          is_ns.zero? ? :methods_gone : :methods_changed
        end

        def times(was_ns, is_ns)
          was_ns.zero? ? nil : View::Figures.rate(is_ns / was_ns)
        end

        def sampled_ns = summary.holding_methods.sum(&:caused_ns)

        # Of the stall that the chosen requests and jobs caused, the share that the samples explain.
        def covered
          units = summary.holding_methods.reject(&:account).sum(&:caused_ns)
          caused_ns = summary.total.caused_ns
          caused_ns.zero? ? View::Figures::NONE : View::Figures.share([units.fdiv(caused_ns), 1.0].min)
        end

        def row(line)
          place = [line.label, line.location].compact.map { |text| View::Width.clean(text) }.join(" ")
          share = View::Figures.bare_share(line.caused_ns.fdiv(sampled_ns))
          [@words.labelled(name(line), place), share, duration(line.caused_ns), part(line, line.gc_ns),
            part(line, line.native_ns), called(line) || ""]
        end

        def part(line, ns)
          ns.zero? ? "" : View::Figures.share(ns.fdiv(line.caused_ns))
        end

        def called(line) = line.called && View::Width.clean(line.called)

        def name(line)
          return label(line.name) unless line.account
          word(:account, name: label(line.name.delete_prefix("thread:")))
        end

        def sentence(lines)
          word(:methods_sentence, name: View::Width.truncate(name(lines.first), NAME), **place(lines))
        end

        # @param lines [Array<Analysis::MethodLine>] of one name, the one that causes most first
        def place(lines)
          line = lines.first
          share = View::Figures.rounded_share(line.caused_ns.fdiv(lines.sum(&:caused_ns)))
          {method: View::Width.clean(line.label), location: line.location && View::Width.clean(line.location),
           share:,
           inside: inside(line)}
        end

        # What the method did meanwhile, if it is not its own code.
        def inside(line)
          part_of_most(line) || (word(:methods_inside_called, called: called(line)) if line.called)
        end

        # @return [String, nil] what is no Ruby code
        def part_of_most(line)
          half = line.caused_ns / 2.0
          return word(:methods_inside_gc) if line.gc_ns > half
          word(:methods_inside_native) if line.native_ns > half
        end
      end
    end
  end
end
