# frozen_string_literal: true

module Holdup
  module Advise
    Feature = FeatureContents.of(
      about: "advice, what-if, the calculator, verification. `rules/` by theme: evidence, change, risk, " \
        "how to verify and undo; `sizing/` is its engine: models, replay, self-test",
      uses: %w[report],
      offers: %w[AdviceFindings DashboardGoal NoAnswer PageFindings Reader Rules Sizing SizingOptions
        WeeklyAdvice WeeklyAdviceReader],
      commands: [
        {name: "advise", place: 50, group: :decide,
         summary: "how many threads, processes and job slots, with the evidence",
         examples: ["--slo p95=300ms", "--kind job --within 300s", "--if threads=3,load=x1.5"]},
        {name: "whatif", place: 60,
         summary: "another setting or load, replayed next to the current one",
         examples: [
           "--threads 3 --load x1.5",
           "--without 'ReportsController#*'",
           "--kind job --own-pool ReportJob=1x2"
         ], constant: "WhatifCommand"},
        {name: "calculate", place: 130,
         summary: "how many threads for an io share, next to Amdahl's law",
         examples: ["", "--io 45%", "--running 12ms --idle 30ms --rate 40/s --processes 2"],
         constant: "CalculateCommand"}
      ],
      pages: [
        {name: "advice", place: 80, section: :capacity},
        {name: "calculator", place: 110, section: :capacity, constant: "CalculatorPage"}
      ],
      tools: [
        {name: "advise", place: 30, command: %w[advise --json],
         description: "How many threads, processes and job slots to run: verdict, self-test, candidates, " \
           "findings with evidence, change and risk."},
        {name: "whatif", place: 40, command: %w[whatif --json],
         description: "What another setting, load or mix would do, replayed next to the current one. At " \
           "least one change is needed."}
      ],
      rules: %w[
        Rules::ThreadRules Rules::JobRules Rules::GvlRules Rules::LockRules Rules::DatabaseRules
        Rules::MachineRules Rules::MemoryRules Rules::RecordingRules
      ],
      parts: {advice: "CollectorPart", dashboard_goal: "DashboardGoal"}
    )
  end
end
