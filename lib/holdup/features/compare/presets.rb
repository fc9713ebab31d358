# frozen_string_literal: true

module Holdup
  module Compare
    # What is asked most, as parameters of the page's address.
    module Presets
      NOW = {"until" => nil, "before" => nil, "after" => nil}.freeze
      HOURS = {
        last_hour: {**NOW, "since" => "1h", "base_since" => "2h", "base_until" => "1h"}.freeze,
        hour_yesterday: {**NOW, "since" => "1h", "base_since" => "25h", "base_until" => "24h"}.freeze
      }.freeze
      # Pairs of what ChosenSides offers to choose from: the last two revisions, and the first two arms.
      PAIRS = {last_deploy: ["revision", :last], arms: [Setting::LABEL, :first]}.freeze

      # @param choices [Array<String>] "revision:3f2a9c1", in order of first use
      # @param around [Array(Array(Integer, Integer), Array(Integer, Integer)), nil] see LastChangeReader
      # @return [Hash{Symbol => Hash{String => String}}] those that there is something for, by their name
      def self.of(choices, around)
        {**pairs(choices), **change(around), **HOURS}
      end

      def self.pairs(choices)
        found = PAIRS.transform_values do |(fact, place)|
          choices.select { |choice| choice.start_with?("#{fact}:") }.public_send(place, 2)
        end
        found.select { |_, two| two.size == 2 }.transform_values do |(before, after)|
          {"base_since" => nil, "base_until" => nil, "before" => before, "after" => after}
        end
      end

      def self.change(around)
        return {} unless around
        before, after = around.map { |span| span.map { |second| Time.at(second).utc.strftime("%FT%TZ") } }
        {last_change: {"before" => nil, "after" => nil, "since" => after[0], "until" => after[1],
                       "base_since" => before[0], "base_until" => before[1]}}
      end
      private_class_method :pairs, :change
    end
  end
end
