# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../../support/coarse_sizing"
require_relative "../../../../support/played_store"

class Holdup::CLI::AdviseDeadlinesTest < Minitest::Test
  one_ruby

  include CoarseSizing
  include CommandLine

  PLAYED = PlayedStore.new(PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 2, 48, 3]}, rate: 12.0,
    minutes: 12, threads: 3, queue: "sync", swing: 0.0))

  def advise(*arguments)
    PLAYED.in_a_file do |path|
      share_sizing(PLAYED) do
        holdup("advise", "--store", path, "--since", "1h", "--full", "--kind", "job", *arguments,
          now_s: PLAYED.to_s)
      end
    end
  end

  def test_processes_that_the_jobs_of_each_queue_need
    said = size_coarsely { advise }
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^Processes that the jobs of each queue need to begin within 300 s$/, said.out)
    assert_match(/^sync +1\d\.\d +\d+\.\d +\d\d\.\d .* 0\.\d$/, said.out)
    assert_match(/Processes that serve all of these queues: 1 \(0\.\d\); now 1\./, said.out.gsub(/\s+/, " "))
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_within_another_time
    said = size_coarsely { advise("--within", "10s", "--format", "json") }
    found = JSON.parse(said.out).fetch("deadlines")
    assert_equal [10, 1, ["sync"]],
      [*found.values_at("within_s", "processes_now"), found["queues"].map { |one| one["queue"] }]
    assert_in_delta found["queues"].first["processes"], found["processes"]
  end

  def test_a_time_for_requests_is_refused
    said = holdup("advise", "--within", "10s")
    assert_equal 2, said.status
    assert_match(/--within is for jobs; add --kind job/, said.err)
  end
end
