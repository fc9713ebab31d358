# frozen_string_literal: true

require_relative "coarse_sizing"
require_relative "command_line"
require_relative "played_store"
require_relative "temporary_folder"

# `holdup advise` over a recording that was played.
module PlayedAdvice
  include CoarseSizing
  include CommandLine
  include TemporaryFolder

  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 12))

  def advise(*arguments, played: PLAYED)
    played.in_a_file do |path|
      share_sizing(played) {
        holdup("advise", "--store", path, "--since", "1h", "--full", *arguments, now_s: played.to_s)
      }
    end
  end

  # @yieldparam ask [#call] runs `holdup advise` with these arguments, by default at the end of the recording
  def with_kept_advice
    PLAYED.in_a_file do |path|
      yield(lambda do |*arguments, now_s: PLAYED.to_s, share: true|
        run = -> { holdup("advise", *arguments, now_s:, env: {"COLUMNS" => "80", "HOLDUP_STORE" => path}) }
        share ? share_sizing(PLAYED) { size_coarsely { run.call } } : run.call
      end)
    end
  end
end
