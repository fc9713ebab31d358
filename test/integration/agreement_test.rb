# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# The report of real traffic under Puma against an independent reader of the same requests: gvl_timing
# measures each of them inside the application while Holdup measures it from outside.
class AgreementTest < Minitest::Test
  EXE = File.expand_path("../../exe/holdup", __dir__)
  STATES = %w[wall_ns running_ns stalled_ns idle_ns].freeze
  REQUESTS = 60
  CLIENTS = 4

  def test_the_report_agrees_with_gvl_timing_within_two_percent
    Dir.mktmpdir do |folder|
      timings = File.join(folder, "timings")
      totals = nil
      ServedApp.serve("bundle", "exec", "puma", "-C", "puma.rb", app: "timed",
        env: {"TIMINGS" => timings}) do |app|
        File.write(timings, "")
        drive(app)
        app.wait { File.foreach(timings).count == REQUESTS && app.counts.values.sum == REQUESTS }
        totals = report(app.dir, folder)
      end
      assert_agrees totals, File.readlines(timings).map { |line| line.split.map(&:to_i) }.transpose.map(&:sum)
    end
  end

  private

  def drive(app)
    numbers = Queue.new.tap { |queue| REQUESTS.times { |number| queue << number } }.close
    ask = -> { while (number = numbers.pop) do app.get("/work?#{number}") end }
    Array.new(CLIENTS) { Thread.new(&ask) }.each(&:join)
  end

  def report(segments, folder)
    store = "sqlite://#{folder}/store.sqlite3"
    system(RbConfig.ruby, EXE, "collect", "--once", "--dir", segments, "--store", store, exception: true)
    output, error, status = Open3.capture3(RbConfig.ruby, EXE, "report", "--store", store, "--format", "json")
    assert status.success?, error
    JSON.parse(output).fetch("totals")
  end

  def assert_agrees(totals, theirs)
    assert_equal REQUESTS, totals.fetch("count")
    STATES.zip(theirs) do |state, expected|
      assert_in_delta 1.0, totals.dig(state, "sum").fdiv(expected), 0.02,
        "#{state}: #{totals.dig(state, "sum")} and #{expected}"
    end
  end
end
