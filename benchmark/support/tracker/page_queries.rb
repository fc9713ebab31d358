# frozen_string_literal: true

require_relative "pages"

module Bench
  # Whether each page of the tracker sends as many queries as TrackerPages says, whatever record it shows.
  class PageQueries
    # Records of each page.
    RECORDS = 12
    SEED = 3

    # @param app [#queries] TrackerApp
    # @return [void]
    # @raise [Failure]
    def self.check(app)
      random = Random.new(SEED)
      paths = TrackerPages::ALL.flat_map { |page| Array.new(RECORDS) { page.path_for(random) } }.uniq
      found = paths.zip(app.queries(paths))
      path, queries = found.find { |_, count| !TrackerPages::QUERIES.cover?(count) }
      return unless path
      least, most = TrackerPages::QUERIES.minmax
      raise Failure, "#{path} sends #{queries} queries, but each page is to send #{least} to #{most}"
    end
  end
end
