# frozen_string_literal: true

module Holdup
  module Report
    # Why the requests or jobs of one name take so long, in a few words with a number.
    class DiagnosisSentence
      NAME = 60

      # @param summary [Analysis::Summary] by name, with Diagnosis::PARTS
      # @param link [#call, nil] makes a link to the page of a row
      # @param brief [Boolean] whether names of holders are short, see View::MainWait
      def initialize(summary, words:, link: nil, brief: false)
        @summary = summary
        @words = words
        @diagnosis = Diagnosis.new(summary)
        @waits = View::MainWait.new(summary, words:, link:, brief:)
      end

      # @param row [Analysis::SeriesRow]
      # @return [String, View::Blocks::Link] a link where it waits for one that has a page
      def call(row)
        found = @diagnosis.of(row)
        return waits(row, found) if found.key == :gvl
        word(:"diagnosis_#{found.key}", share: View::Figures.rounded_share(found.share),
          **spoken(found.facts))
      end

      private

      def word(key, **facts) = @words.call(key, **facts)

      # For whom it waits leads to their page.
      def waits(row, found)
        remark = @waits.remark(row)
        share = View::Figures.rounded_share(found.share)
        text = word(:diagnosis_gvl, share:, wait: remark&.to_s)
        remark.is_a?(View::Blocks::Link) ? remark.with(text:) : text
      end

      def spoken(facts)
        facts.to_h { |key, fact| [key, say(key, fact)] }
      end

      def say(key, fact)
        case key
        when :place then place(fact)
        when :call then View::CalledSystem.call(fact, @words)
        when :each then View::Figures.amount(fact)
        when :objects then fact && View::Figures.short_count(fact)
        else View::Figures.duration(fact)
        end
      end

      def place(fact)
        return View::MainWait.place(fact, @words) unless fact.is_a?(String)
        View::Width.truncate(View::Width.clean(File.basename(fact)), NAME)
      end
    end
  end
end
