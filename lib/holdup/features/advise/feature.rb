# frozen_string_literal: true

module Holdup
  module Advise
    Feature = FeatureContents.of(
      about: "advice, what-if, the calculator, verification. `rules/` by theme: evidence, change, risk, " \
        "how to verify and undo; `sizing/` is its engine: models, replay, self-test",
      uses: %w[report],
      offers: %w[AdviceFindings NoAnswer PageFindings Reader Rules Sizing SizingOptions],
      commands: [
        {name: "advise", place: 50, summary: "how many threads, processes and job slots, with the evidence"},
        {name: "whatif", place: 60,
         summary: "another setting or load, replayed next to the current one", constant: "WhatifCommand"},
        {name: "calculate", place: 130,
         summary: "how many threads for an io share, next to Amdahl's law", constant: "CalculateCommand"}
      ],
      pages: [
        {name: "advice", place: 80},
        {name: "calculator", place: 110, constant: "CalculatorPage"}
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
        Rules::ThreadRules::ThreadCount Rules::ThreadRules::ProcessCount Rules::ThreadRules::IoThreads
        Rules::ThreadRules::TimeSlice Rules::ThreadRules::LowerPriority Rules::JobRules::JobConcurrency
        Rules::JobRules::SplitQueue Rules::GvlRules::Convoy Rules::GvlRules::NativeHolds
        Rules::GvlRules::IsolateEndpoints Rules::GvlRules::ReleaseStorm Rules::GvlRules::ManyAcquisitions
        Rules::GvlRules::LockContention Rules::GvlRules::MisleadingCalls Rules::DatabaseRules::DbPool
        Rules::DatabaseRules::DbConnections Rules::DatabaseRules::RepeatedQueries
        Rules::MachineRules::VcpuMismatch Rules::MachineRules::AutoscalingTrap
        Rules::MachineRules::CpuThrottling Rules::MachineRules::CpuMissing
        Rules::MachineRules::MemoryHeadroom Rules::MachineRules::CapacityMissing
        Rules::MemoryRules::GrowingHeap Rules::MemoryRules::GcSettings
        Rules::RecordingRules::RecordingTooShort Rules::RecordingRules::MixedSettings
        Rules::RecordingRules::MixedApplications
      ],
      parts: {advice: "CollectorPart", dashboard_goal: "DashboardGoal"}
    )
  end
end
