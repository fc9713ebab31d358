# frozen_string_literal: true

module Holdup
  module Notify
    # A notice as somebody reads it, in any channel.
    #
    # - `rule`, `state`, `at_s`: of the notice; `source`: the same when it is sent again
    # - `title`: one line; `text`: sentences; `figure`: the number that it is about, or nil
    # - `link`: to the span in the dashboard, nil: it has no known address; `command`: that shows more
    # - `html`: the same as a file for a browser, of a digest only
    NoticeMessage = Data.define(:rule, :state, :at_s, :source, :title, :text, :figure, :link, :command,
      :html) do
      def initialize(html: nil, **facts) = super

      # @param facts [Hash{Symbol => Object}] of `to_h`, from JSON with names as symbols
      def self.load(facts) = new(**facts, state: facts.fetch(:state).to_sym)

      # @return [String] all of it, for a log and for a chat
      def lines
        ["#{title}: #{text}", command, link].compact
      end
    end
  end
end
