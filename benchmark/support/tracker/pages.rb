# frozen_string_literal: true

require "holdup/loader"

module Bench
  # The pages of benchmark/database_app, with their shares of 20 requests.
  module TrackerPages
    # What each page sends, whatever record it shows; answers from Active Record's cache are none. PageQueries
    # counts them before anything is measured.
    QUERIES = (300..500)

    def self.page(label, path, weight)
      Holdup::Lab::Route.new(label:, path:, weight:)
    end
    private_class_method :page

    ALL = [
      page("DashboardsController#show", ->(random) { "/dashboard?user=#{random.rand(1..400)}" }, 5),
      page("ProjectsController#show", ->(random) { "/projects/#{random.rand(1..60)}" }, 4),
      page("ProjectsController#index", "/projects", 3),
      page("IssuesController#show", ->(random) { "/issues/#{random.rand(1..8_000)}" }, 3),
      page("IssuesController#index", ->(random) { "/issues?page=#{random.rand(1..20)}" }, 2),
      page("UsersController#show", ->(random) { "/users/#{random.rand(1..400)}" }, 1),
      page("ActivitiesController#index", "/activities", 1),
      page("ReportsController#workload", "/reports/workload", 1)
    ].freeze
  end
end
