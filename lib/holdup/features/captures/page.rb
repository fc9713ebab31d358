# frozen_string_literal: true

module Holdup
  module Captures
    # The stored captures, newest first: why each was taken, whom it shows, its cost.
    class Page < View::PageBase
      COLUMNS = %i[taken process capture_why capture_unit capture_stall capture_holder capture_events
        capture_length capture_cost capture_size].freeze

      def blocks
        [*asked, *(all.empty? ? nothing : [table]), *ordering]
      end

      def span? = false

      # @return [Array<String>] its figures are those of files
      def exports = %w[csv md]

      private

      def all = @all ||= @context.captures.all

      def nothing
        [View::Blocks::Lead.new(text: word(:no_captures)),
          to_copy("capture --seconds 10", purpose: word(:captures_none_command))]
      end

      def asked
        query["asked"] ? [View::Blocks::Lead.new(
          text: word(:capture_asked, pid: View::Width.clean(query["asked"])), level: :good
        )] : []
      end

      def table
        columns = COLUMNS.map { |key| View::Blocks::Column.new(text: word(key), words: key == :capture_why) }
        View::Section.new(title: word(:captures_kept), columns:,
          rows: all.first(query.limit).map { |kept| row(kept) }, notes: [word(:captures_note)])
      end

      def row(kept)
        taken = View::Blocks::Link.new(text: View::Blocks::Moment.new(at_s: kept.time.to_i, seconds: true),
          page: "capture", params: {"id" => kept.id})
        unless kept.header
          return [taken,
            *Array.new(COLUMNS.size - 2,
              View::Figures::NONE).unshift(word(:capture_broken)).first(COLUMNS.size - 2), bytes(kept)]
        end
        [taken, process(kept), why(kept.facts), *caught(kept.facts), *figures(kept), bytes(kept)]
      end

      def process(kept)
        View::Width.clean([kept.facts["app"], kept.header.process_name].compact.join(" "))
      end

      def why(facts)
        trigger = facts["trigger"]
        text = word(TRIGGERS.fetch(trigger, :trigger_asked))
        facts["rule"] ? word(:capture_by_rule, why: text, rule: View::Width.clean(facts["rule"])) : text
      end

      TRIGGERS = {"until" => :trigger_until, "rule" => :trigger_rule,
                  "dashboard" => :trigger_dashboard}.freeze
      private_constant :TRIGGERS

      # The unit that triggered the capture, and the holder it waited for.
      def caught(facts)
        return Array.new(3, View::Figures::NONE) unless facts["unit"]
        holder = "#{named(facts["holder"])} #{duration(facts["holder_ns"])}" if facts["holder"]
        [named(facts["unit"]), duration(facts["stalled_ns"]), holder || View::Figures::NONE]
      end

      def named(name)
        View::Width.clean(name.to_s)
      end

      def duration(ns)
        ns.is_a?(Integer) ? View::Figures.duration(ns) : View::Figures::NONE
      end

      def figures(kept)
        [View::Figures.count(kept.events), View::Figures.duration(kept.length_ns),
          View::Figures.duration(kept.header.cost_ns)]
      end

      def bytes(kept)
        View::Figures.bytes(kept.bytes)
      end

      def ordering
        processes = @context.ordering&.processes or return []
        [Reader::OrderForm.new(title: word(:capture_now),
          processes: processes.to_h { |place| [place.pid, View::Width.clean(place.name)] })]
      end
    end
  end
end
