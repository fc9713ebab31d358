# frozen_string_literal: true

module Holdup
  module Doctor
    Feature = FeatureContents.of(
      about: "what is measured, what is missing, and why a number may be wrong",
      uses: %w[compare],
      offers: %w[Checks::CheckResult StoreChecks::Drift],
      commands: [
        {name: "doctor", place: 40, group: :keep_well,
         summary: "what is measured, what is missing, and how to fix it",
         examples: ["", "--full", "--json"], warns: false, brief: true}
      ],
      pages: [
        {name: "health", place: 150, section: :health}
      ],
      parts: {troubles: "TroublesReader"},
      checks: {
        "ProbeChecks::RubySupport" => 10,
        "ProbeChecks::ClockSource" => 20,
        "SegmentChecks::SegmentFolder" => 30,
        "SegmentChecks::Segments" => 40,
        "SegmentChecks::SegmentNames" => 50,
        "ServerChecks::Servers" => 60,
        "ServerChecks::UnmeasuredServers" => 70,
        "ServerChecks::EnvironmentVariables" => 80,
        "ServerChecks::UnhookedMethods" => 90,
        "SegmentChecks::Heartbeat" => 100,
        "StoreChecks::CollectorLock" => 110,
        "StoreChecks::CollectorTroubles" => 120,
        "StoreChecks::StoreState" => 130,
        "StoreChecks::SkippedRows" => 140,
        "StoreChecks::Applications" => 150,
        "ProbeChecks::StallIdentity" => 160,
        "ProbeChecks::MnThreads" => 170,
        "ProbeChecks::Fibers" => 180,
        "ServerChecks::MemoryKillers" => 230,
        "SegmentChecks::RuleCaptures" => 240,
        "ServerChecks::QueueHeader" => 250,
        "ServerChecks::RedisLatency" => 260,
        "StoreChecks::Drift" => 270,
        "SegmentChecks::SeriesOverflow" => 280,
        "SegmentChecks::ThreadNames" => 290,
        "ScalingChecks::FreeCpus" => 300,
        "ScalingChecks::Autoscale" => 310,
        "ProbeChecks::Anomalies" => 320
      }
    )
  end
end
