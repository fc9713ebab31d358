# frozen_string_literal: true

module Holdup
  module Compare
    # What is asked most, as parameters of the page's address.
    module Presets
      NAMES = %i[last_deploy last_change arms last_hour hour_yesterday].freeze
      NOW = {"until" => nil, "before" => nil, "after" => nil}.freeze
      HOURS = {
        last_hour: {**NOW, "since" => "1h", "base_since" => "2h", "base_until" => "1h"}.freeze,
        hour_yesterday: {**NOW, "since" => "1h", "base_since" => "25h", "base_until" => "24h"}.freeze
      }.freeze
      # How long before now the earlier side of each ends.
      BEFORE_S = {last_hour: 3_600, hour_yesterday: DAY_S}.freeze
      # Pairs of what ChosenSides offers to choose from: the last two revisions, and the first two arms.
      PAIRS = {last_deploy: ["revision", :last], arms: [Setting::LABEL, :first]}.freeze

      # @param choices [Array<String>] "revision:3f2a9c1", in order of first use
      # @param deploy [Array(Array(Integer, Integer), Array(Integer, Integer)), nil] the spans around the last
      #   one, see LastChangeReader; `change` likewise
      # @param recorded_s [Integer, nil] seconds since the first measurement; nil: nothing was measured
      # @return [Hash{Symbol => Hash{String => String}, nil}] by their name, in the order of NAMES; nil where
      #   there is nothing to compare
      def self.of(choices, deploy: nil, change: nil, recorded_s: nil)
        known = {last_deploy: around(deploy), last_change: around(change), **pairs(choices),
                 **hours(recorded_s.to_i)}.compact
        NAMES.to_h { |name| [name, known[name]] }
      end

      def self.hours(recorded_s)
        HOURS.select { |name, _| recorded_s > BEFORE_S.fetch(name) }
      end

      def self.pairs(choices)
        found = PAIRS.transform_values do |(fact, place)|
          choices.select { |choice| choice.start_with?("#{fact}:") }.public_send(place, 2)
        end
        found.select { |_, two| two.size == 2 }.transform_values do |(before, after)|
          {"base_since" => nil, "base_until" => nil, "before" => before, "after" => after}
        end
      end

      def self.around(spans)
        return unless spans
        before, after = spans.map { |span| span.map { |second| Time.at(second).utc.strftime("%FT%TZ") } }
        {"before" => nil, "after" => nil, "since" => after[0], "until" => after[1],
         "base_since" => before[0], "base_until" => before[1]}
      end
      private_class_method :hours, :pairs, :around
    end
  end
end
