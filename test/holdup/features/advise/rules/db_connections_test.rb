# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class DbConnectionsTest < Minitest::Test
    include Situations

    def found(connections)
      recommendation = PlayedRecording.new(minutes: 2).then { |one|
        one.recommendation(limits: one.limits(connections:))
      }
      jobs = container(processes: 1).each { |sample|
        sample.update(pid: 90, server: "sidekiq", "pool.0": "default", "pool.0.max": 10) if sample[:pid] == 10
      }
      find(DatabaseRules::DbConnections, units: unit(cpu: 5), samples: container(processes: 3) + jobs,
        recommendation:)
    end

    def test_more_than_the_server_has
      text = text_of(found(30))
      expected = "All threads together may open 25 (requests 15, jobs 10) of 30; " \
        "above 80.0 % of the limit, a restart, a console or a migration may find none free. " \
        "[holdup advise --db-connections 30]"
      assert_equal expected, text["seen"]
      assert_match(/PgBouncer/, text["do"])
    end

    def test_no_finding_below_the_limit_or_without_one
      assert_nil found(32)
      assert_nil found(nil)
    end
  end
end
