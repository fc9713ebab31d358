# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Names of the sides of a pair of stall, in a SectionBase.
      module PartyNames
        private

        # @param party [Analysis::StallPairs::Party]
        def party(party)
          case party.kind
          when :account then word(:account, name: label(party.name.delete_prefix(Series::THREAD)))
          when :nobody, :others, :unknown then word(:"party_#{party.kind}")
          else label(party.name)
          end
        end
      end
    end
  end
end
