# frozen_string_literal: true

module Holdup
  module View
    # For whom requests or jobs of one name waited in the larger part of their stall, in a few words: "waits
    # 94 % for ReportsController#sales (SalesReport#pair_counts, sales_report.rb:30)".
    class MainWait
      # Parts of the summary that it needs.
      PARTS = %i[pairs holding_methods calls].freeze
      # Columns of the holder's name.
      NAME = 60
      # Of a class's name, what all of its kind end with, where there is little room.
      ENDING = /Controller(?=#)/

      # @param summary [Analysis::Summary] with these parts
      # @param link [#call, nil] makes a link to the page of the holder
      # @param brief [Boolean] whether the holder's name is without ENDING
      def initialize(summary, words:, link: nil, brief: false)
        @summary = summary
        @brief = brief
        @words = words
        @link = link
      end

      # @param row [Analysis::SeriesRow]
      # @return [Blocks::Link, String, nil] to follow the row's name; nil where it hardly stalls, and where
      #   no holder stands out
      def remark(row)
        pair = pair(row) or return
        own = (pair.causer == pair.victim) ? "_own" : ""
        text = @words.call(:"main_wait#{own}", **facts(pair))
        link = @link&.call(pair.causer) if pair.causer.unit?
        link.is_a?(Blocks::Link) ? link.with(text:) : text
      end

      # @param row [Analysis::SeriesRow]
      # @return [String, nil] a whole sentence, likewise
      def sentence(row)
        pair = pair(row) or return
        @words.call(:main_wait_sentence, **facts(pair))
      end

      # @param place [Analysis::HolderPlace, nil]
      # @return [String, nil] "SalesReport#pair_counts, sales_report.rb:30", "82 calls in each: SQL primary"
      def self.place(place, words)
        return unless place
        return line(place.sampled, words) if place.sampled
        words.call(:main_wait_calls, calls: Figures.amount(place.called.each),
          system: CalledSystem.call(place.called, words))
      end

      # @param line [Analysis::MethodLine]
      # @return [String] "SalesReport#pair_counts, sales_report.rb:30"
      def self.line(line, words)
        parts = [line.label, line.location && File.basename(line.location)].compact
        words.list(parts.map { |text| Width.clean(text) })
      end

      private

      def pair(row)
        return unless @summary.by == :name && @summary.read?(*PARTS) && Analysis::StallVerdict.stalls?(row)
        @summary.main_pairs[row.name]
      end

      def facts(pair)
        {share: Figures.rounded_share(pair.share), cause: cause(pair.causer),
         place: self.class.place(@summary.holder_place(pair.causer), @words)}
      end

      def cause(party)
        name = Width.clean(party.name.delete_prefix(Series::THREAD))
        name = name.sub(ENDING, "") if @brief
        name = Width.truncate(name, NAME)
        (party.kind == :account) ? @words.call(:account, name:) : name
      end
    end
  end
end
