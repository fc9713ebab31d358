# frozen_string_literal: true

module Holdup
  module Report
    Feature = FeatureContents.of(
      about: "where the time went: report, overview, requests, jobs, blame, processes",
      uses: %w[advise captures compare doctor jit_report ps top],
      offers: %w[HtmlReport::Query Sections::Times::AmdahlTable::OfShare],
      commands: [
        {name: "report", place: 10, group: :look,
         summary: "where the time went, who waited for the GVL and who caused it",
         examples: ["--since 2h", "--name 'OrdersController#*' --full", "--html --out report.html"],
         brief: true}
      ],
      pages: [
        {name: "overview", place: 10, section: :overview, constant: "OverviewPage"},
        {name: "requests", place: 20, section: :requests, former: %w[endpoints],
         constant: "UnitPages::Requests"},
        {name: "jobs", place: 30, section: :jobs, constant: "UnitPages::Jobs"},
        {name: "endpoint", place: 40, section: :requests, listed: false, constant: "UnitPage"},
        {name: "slowest", place: 42, section: :requests, listed: false, constant: "SlowestPage"},
        {name: "request", place: 44, section: :requests, listed: false, constant: "RequestPage"},
        {name: "blame", place: 50, section: :requests, constant: "BlamePage"},
        {name: "processes", place: 160, section: :health, constant: "ProcessesPage"}
      ],
      tools: [
        {name: "report", place: 10, command: %w[report --json],
         description: "Where the time of requests and jobs went: verdict, totals, a row for each name, " \
           "who made whom wait, processes, JIT. Large; blame is shorter. Keys: holdup://keys/report."},
        {name: "blame", place: 20, command: %w[report --json --sort=caused],
         purposes: %i[selection], constant: "BlameTool",
         description: "Who made others wait for the GVL: the verdict, pairs of causer and victim, and " \
           "each request and job with how long it waited and made others wait, most caused first."}
      ]
    )
  end
end
