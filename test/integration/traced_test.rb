# frozen_string_literal: true

require "test_helper"
require "json"

# A real Puma with Rails and OpenTelemetry's SDK: the span of a request says for whom it waited, while that
# one goes on.
class TracedIntegrationTest < Minitest::Test
  HOG = "ReportsController#show"

  def test_the_span_of_a_light_request_names_the_hog_that_still_runs
    ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "traced",
      env: {"RAILS_ENV" => "production"}) do |app|
      beside_a_hog(app) do
        attributes = app.wait {
          app.get("/reports") && lights(app).find { |light| light["holdup.caused_by"] == HOG }
        }
        refute_includes app.counts.keys, HOG
        assert_includes 1..attributes["holdup.stalled_ms"], attributes["holdup.caused_by_ms"]
      end
      assert_empty app.log.lines.grep(/holdup: (?!measuring |the collector ends; requests )/)
    end
  end

  private

  # @return [Array<Hash>] attributes of the light requests' spans
  def lights(app)
    JSON.parse(app.get("/spans").body).filter_map { |name, attributes| attributes if name == "/reports" }
  end

  def beside_a_hog(app)
    app.get("/reports")
    hog = Thread.new { app.get("/reports/17") }
    yield
  ensure
    Net::HTTP.start("127.0.0.1", app.port) { |http| http.delete("/reports/17") }
    hog&.join
  end
end
