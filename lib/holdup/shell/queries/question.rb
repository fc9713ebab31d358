# frozen_string_literal: true

require "digest"
require "json"

module Holdup
  module Queries
    # What is asked, of a span that ends now or of any other.
    #
    # - `command`: and what its results are of, in words; or the page of a dashboard
    # - `seconds`: length of the span; nil if the arguments say which span
    # - `arguments`: {Symbol, String => Object} everything else that the result depends on
    Question = Data.define(:command, :seconds, :arguments) do
      # @param arguments [Hash{Symbol => Object}] in any order; nil is as if it were left out
      def initialize(command:, seconds: nil, arguments: {})
        super(command:, seconds:, arguments: arguments.compact.sort.to_h.freeze)
      end

      # @param span [Range<Integer>] seconds since 1970, which ends now
      # @param objective [Advise::Sizing::Objective]
      # @param prices [Advise::Sizing::CheapestFleet::FleetPrices, nil]
      # @param others [Hash{Symbol => Object}] what else is not as usual; nil is usual
      def self.of_advice(kind:, span:, objective:, prices: nil, factor: 1.0, warm_up_s: WARM_UP_S,
        within_s: Advise::Sizing::JobDeadlines::WITHIN_S, **others)
        arguments = {objective: objective.name, slo: objective.slo.to_h, prices: prices&.to_h, factor:,
                     warm_up_s:, within_s:, **others}
        new(command: "advice #{kind}", seconds: span.end - span.begin, arguments:)
      end

      # @param form [Integer] version of the results' form
      # @return [String] that stores know it by: of this version, since another one may say something else
      def key(form)
        digest = Digest::SHA256.hexdigest([VERSION, form, arguments].to_json)
        "#{command} #{seconds} #{digest[0, 16]}"
      end
    end
  end
end
