# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # How long the viewer of captures takes for a frame, in a browser, over a million periods.
  class Viewer
    BUDGET_MS = 16

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @spans = quick ? 30_000 : 1_000_000
    end

    # @return [Result]
    def call
      @seen = Fresh.call("viewer", @spans, options: ["-rbundler/setup"])
      Result.new(
        title: "The viewer of captures",
        about:,
        tables: [ResultTable.new(
          [
            "window",
            "script, median ms",
            "script, p95 ms",
            "pixels, median ms",
            "CPU of the page, mean ms",
            "rectangles"
          ],
          rows
        )],
        budgets:
      )
    end

    private

    def about
      "A frame while somebody goes along a capture of #{@spans} periods of 32 threads " \
      "(#{@seen["bytes"] / 1_000_000} MB), in Chromium without a graphics card, 1,600 pixels wide. " \
      "Script: the viewer's own time. " \
        "Pixels: until Chromium's software has painted them. CPU: of the thread of the page, all that a " \
        "frame takes there. No frame may have more rectangles than pixels in its rows, " \
        "#{frames.first["most"]}."
    end

    def rows
      frames.zip(@seen["zooms"]).map { |frame, zoom|
        [part(zoom), *%w[median p95 pixels cpu].map { |key| format("%.1f", frame[key]) },
          frame["rectangles"].to_s]
      }
    end

    def part(zoom)
      zoom.zero? ? "all of it" : format("%.2g %% of it", 100 / 1.5**zoom)
    end

    def frames = @seen["frames"]

    def budgets
      [Budget.new("the viewer's slowest frame but one of twenty", BUDGET_MS,
        frames.map { |frame| frame["p95"] }.max, "ms")]
    end
  end
end
