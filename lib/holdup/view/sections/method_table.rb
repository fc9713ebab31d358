# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Which methods keep the other threads waiting: where holds of the GVL were sampled.
      class MethodTable < SectionBase
        COLUMNS = %i[methods_share methods_caused methods_gc methods_native methods_called].freeze
        SENTENCES = 3
        NAME = 40

        # @return [Section, nil] nil where no hold was sampled
        def call
          return if summary.by != :name || summary.holding_methods.empty?
          Section.new(title: word(:methods), columns: [word(:methods_name), *COLUMNS.map { |key| word(key) }],
            rows: listed.map { |line| row(line) }, notes: [word(:methods_note, covered:), *left_out])
        end

        # The method that causes most, for each of those that cause most.
        # @return [Array<String>]
        def sentences
          return [] if summary.by != :name
          summary.holding_methods.group_by(&:name).values.first(SENTENCES).map { |lines| sentence(lines) }
        end

        private

        def listed = summary.holding_methods.first(limit)

        def left_out
          count = summary.holding_methods.size - listed.size
          count.zero? ? [] : [word(:more_rows, count: Figures.count(count))]
        end

        def sampled_ns = summary.holding_methods.sum(&:caused_ns)

        # Of the stall that the chosen requests and jobs caused, the share that the samples explain.
        def covered
          units = summary.holding_methods.reject(&:account).sum(&:caused_ns)
          caused_ns = summary.total.caused_ns
          caused_ns.zero? ? Figures::NONE : Figures.share([units.fdiv(caused_ns), 1.0].min)
        end

        def row(line)
          place = [line.label, line.location].compact.map { |text| Width.clean(text) }.join(" ")
          share = Figures.bare_share(line.caused_ns.fdiv(sampled_ns))
          ["#{name(line)}: #{place}", share, duration(line.caused_ns), part(line, line.gc_ns),
            part(line, line.native_ns), called(line) || ""]
        end

        def part(line, ns)
          ns.zero? ? "" : Figures.share(ns.fdiv(line.caused_ns))
        end

        def called(line) = line.called && Width.clean(line.called)

        def name(line)
          return label(line.name) unless line.account
          word(:account, name: label(line.name.delete_prefix("thread:")))
        end

        def sentence(lines)
          line = lines.first
          share = "#{(line.caused_ns.fdiv(lines.sum(&:caused_ns)) * 100).round} %"
          word(:methods_sentence, name: Width.truncate(name(line), NAME), method: Width.clean(line.label),
            location: line.location && Width.clean(line.location), share:, inside: inside(line))
        end

        # What the method did meanwhile, if it is not its own code.
        def inside(line)
          half = line.caused_ns / 2.0
          return word(:methods_inside_gc) if line.gc_ns > half
          return word(:methods_inside_native) if line.native_ns > half
          word(:methods_inside_called, called: called(line)) if line.called
        end
      end
    end
  end
end
