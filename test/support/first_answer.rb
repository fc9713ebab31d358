# frozen_string_literal: true

require "json"
require "open3"
require_relative "other_bundle"

# What a new user does first: starts the server, sends it requests and asks for a report. The collector is the
# one that Holdup starts by itself.
module FirstAnswer
  REQUESTS = 3
  # @param server [Array<String>] command of the server
  # @param report [Array<String>] `holdup`, as it is called there
  # @param env [Hash{String => String, nil}] of both
  # @param booted [Proc, nil] called when the server answers
  # @return [Hash] the JSON of the report, after REQUESTS requests of that path
  # @yieldparam app [ServedApp] while it still serves
  def first_answer(server, report:, app:, path:, env: {}, booted: nil)
    env = {**OtherBundle.of(ENV["BUNDLE_GEMFILE"]), "HOLDUP_COLLECTOR" => nil, **env}
    ServedApp.serve(*server, app:, env:) do |served|
      booted&.call
      REQUESTS.times { served.get(path) }
      served.wait { served.units.sum(&:count) >= REQUESTS }
      environment = {**env, "HOLDUP_DIR" => served.dir, "HOLDUP_STORE" => served.store}
      answer = stored_report(served, environment, report)
      yield served if block_given?
      answer
    end
  end

  private

  # The collector begins a round every ten seconds; `--fresh` asks for one at once.
  def stored_report(served, environment, command)
    served.wait(every: 0.5) do
      printed, _, status = Open3.capture3(environment, *command, "report", "--json", "--fresh")
      answer = JSON.parse(printed) if status.success?
      answer if answer && answer.dig("totals", "count").to_i >= REQUESTS
    end
  end
end
