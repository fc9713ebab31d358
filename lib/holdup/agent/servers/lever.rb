# frozen_string_literal: true

module Holdup
  module Servers
    # Something of a server that a person can turn, and what turning it takes.
    #
    # - `name`: threads, processes, concurrency, max_io_threads, time_slice ...; `value`: what it is now
    # - `live`: whether it can be changed while the server runs, else at its restart
    # - `how`: what to write or call, with the server's own words
    # - `where`: "config/puma.rb:12" where it is written now; nil when that was not found
    Lever = Data.define(:name, :value, :live, :how, :where) do
      def initialize(name:, value:, how:, live: false, where: nil)
        super
      end

      # @return [Hash{String => Object}] flat, for the profile of a segment
      def facts
        {"value" => value, "live" => live, "how" => how, "where" => where}
          .reject { |_, fact| fact.nil? }.transform_keys { |key| "lever.#{name}.#{key}" }
      end
    end
  end
end
