# frozen_string_literal: true

module Holdup
  class Web
    # A split as a bar with what it says in words.
    module Bars
      # Shares below this are drawn and not told.
      TOLD = 0.005

      # @param split [Analysis::StateSplit]
      # @param words [View::Words]
      # @return [Blocks::Bar]
      def self.of(split, words)
        parts = split.members.to_h { |state| [state, split.share(state)] }
        told = parts.select { |_, share| share >= TOLD }.map { |state, share|
          "#{words.call(:"state_#{state}")} #{View::Figures.share(share)}"
        }
        Blocks::Bar.new(parts:, label: words.list(told))
      end
    end
  end
end
