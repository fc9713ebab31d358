# frozen_string_literal: true

module Holdup
  module Notify
    # What the comparison of a revision with the one `before` it says.
    #
    # - `app`: or nil; `began_s`: when the revision came; `look_s`: seconds of each side that are compared
    # - `key`: of Compare's answer: :worse, :better, :none; `moved`: what is worse, [[name, share or nil]]
    # - `text`: what `holdup compare` says
    RevisionFacts = Data.define(:app, :revision, :before, :began_s, :look_s, :key, :moved, :text) do
      # @param facts [Hash{Symbol => Object}] of `to_h`, from JSON with names as symbols
      def self.load(facts) = new(**facts, key: facts.fetch(:key).to_sym)

      def worse? = key == :worse

      # @return [Hash{Symbol => Object}] what a notice keeps
      def told = to_h.except(:key, :text)
    end
  end
end
