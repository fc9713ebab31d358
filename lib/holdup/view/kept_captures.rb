# frozen_string_literal: true

module Holdup
  module View
    # The stored captures, newest first, a sentence each: the unit, the holder it waited for, and why the
    # capture was taken. Names are too long for a table.
    class KeptCaptures
      TRIGGERS = {"rule" => :by_rule, "until" => :asked_until, "dashboard" => :dashboard}.freeze

      def initialize(kept, words:)
        @kept = kept
        @words = words
      end

      # @return [Page]
      def page
        return Page.new(title: word(:none), blocks: []) if @kept.empty?
        Page.new(title: word(:title, count: @kept.size), blocks: [list])
      end

      private

      def word(key, **facts)
        @words.call(:"kept_#{key}", **facts)
      end

      def list
        Section.new(title: "", columns: ["", Blocks::Column.new(text: "", words: true)],
          rows: @kept.map { |one| [one.id, sentences(one)] }, notes: [word(:more)])
      end

      def sentences(one)
        return word(:broken) unless one.header
        [what(one),
          word(TRIGGERS.fetch(one.facts["trigger"], :asked), rule: text(one.facts["rule"]))].join(" ")
      end

      def what(one)
        facts = one.facts
        events = word(:events, process: one.header.process_name, events: Figures.count(one.events))
        return events unless facts["unit"]
        stalled, wall = facts.values_at("stalled_ns", "wall_ns").map { |ns| duration(ns) }
        "#{word(:caught, unit: text(facts["unit"]), stalled:, wall:, holder: holder(facts))} #{events}"
      end

      def holder(facts)
        name, held_ns = facts.values_at("holder", "holder_ns")
        (name && held_ns) ? word(:holder, holder: text(name), held: duration(held_ns)) : ""
      end

      def text(name) = Width.clean(name.to_s)

      def duration(ns)
        ns.is_a?(Integer) ? Figures.duration(ns) : Figures::NONE
      end
    end
  end
end
