# frozen_string_literal: true

module Holdup
  module JitReport
    Feature = FeatureContents.of(
      about: "what the JIT did: page, rules, checks of the doctor",
      uses: %w[advise doctor],
      offers: %w[JitTable Page],
      pages: [
        {name: "jit", place: 140, section: :capacity}
      ],
      checks: {
        "JitChecks::Activation" => 190,
        "JitChecks::Origin" => 200,
        "JitChecks::Effect" => 210,
        "JitChecks::ShortLives" => 220
      },
      rules: %w[JitActivationRules JitMemoryRules JitCompilationRules JitLifetimeRules]
    )
  end
end
