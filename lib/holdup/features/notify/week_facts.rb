# frozen_string_literal: true

module Holdup
  module Notify
    # What a digest says something about.
    #
    # - `from_s`, `to_s`: the week, in seconds since 1970
    # - `before`, `after`: Analysis::Summary of the week before, nil if nothing was recorded then, and of the
    #   week
    # - `comparisons`: Hash, Compare::Comparison of both weeks by kind
    # - `changes`: Array of SettingChange; `acts`: Array of AlikeEntries, what the autopilot did; `deaths`:
    #   Array of Autopsy; `notices`: Array of Notice, what was told; all within the week
    # - `advice`: Array of AdviceAnswer that are known
    WeekFacts = Data.define(:from_s, :to_s, :before, :after, :comparisons, :changes, :acts, :deaths,
      :notices, :advice)
  end
end
