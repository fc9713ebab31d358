# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class ServerLeversTest < Minitest::Test
    include Situations

    FILE = {"lever.threads.value": 5,
            "lever.threads.write": "threads N, N",
            "lever.threads.how": "puma_restart",
            "lever.threads.where": "config/puma.rb:12"}.freeze

    def change(facts = FILE, *names, line: nil)
      ServerLevers.new([facts], lines: ->(_) { line }).change(*(names.empty? ? ["threads"] : names), 3)
    end

    def test_the_words_of_the_server
      change = change()
      assert_equal ["threads 3, 3", "threads 5, 5", "config/puma.rb:12", "puma_restart"],
        change.to_h.values_at(:new, :old, :where, :how)
      assert_equal ["- threads 5, 5", "+ threads 3, 3"], change.diff
    end

    # What stands there keeps everything but the number.
    def test_the_line_itself_where_it_can_be_read
      assert_equal ["- threads ENV.fetch(\"RAILS_MAX_THREADS\", 5)",
        "+ threads ENV.fetch(\"RAILS_MAX_THREADS\", 3)"],
        change(line: "  threads ENV.fetch(\"RAILS_MAX_THREADS\", 5)").diff
      assert_equal ["- threads count, count", "+ threads 3, 3"], change(line: "  threads count, count").diff,
        "no such number there"
      assert_equal [[], "threads 3, 3"],
        change(line: "count = Integer(ENV[\"COUNT\"] || USUAL)").then { |one| [one.diff, one.new] },
        "not the same word"
      assert_equal [["- threads 1, 5", "+ threads 1, 3"], ["- threads 4, 5", "+ threads 3, 3"]],
        ["threads 1, 5", "threads 4, 5"].map { |line| change(line:).diff }
    end

    def test_a_variable_of_the_environment
      assert_equal ["- WEB_CONCURRENCY=5", "+ WEB_CONCURRENCY=3"],
        change(FILE.merge("lever.threads.where": "ENV[WEB_CONCURRENCY]")).diff
    end

    def test_words_of_all_servers
      {"workers N" => "workers 3", ":concurrency: N" => ":concurrency: 3",
       "JOB_CONCURRENCY=N" => "JOB_CONCURRENCY=3",
       "falcon serve --count N" => "falcon serve --count 3", "puma -t N:N" => "puma -t 3:3",
       "good_job start --queues \"mails:N;*:5\"" =>
         "good_job start --queues \"mails:3;*:5\""}.each do |write, new|
        assert_equal new, change({"lever.threads.write": write}).new
      end
      assert_empty change({"lever.threads.write": "workers N"}).diff, "nobody knows where it is written"
    end

    def test_takes_the_latest_known_value_of_a_lever
      levers = ServerLevers.new([FILE, {"lever.threads.value": 4}])
      assert_equal [4, "threads"], [levers["threads"].value, levers["concurrency", "threads"].name]
      assert_nil levers.change("processes", 2)
    end
  end
end
