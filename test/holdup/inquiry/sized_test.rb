# frozen_string_literal: true

require "test_helper"
require "holdup/inquiry/sized"
require_relative "../../support/learned"
require_relative "../../support/played_store"

class Holdup::Inquiry::SizedTest < Minitest::Test
  WEB = PlayedStore.new(PlayedRecording.new(minutes: 2))
  JOBS = PlayedStore.new(PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 5, 45, 6]}, rate: 5.0, minutes: 2, threads: 3), pid: 70)

  # Both have threads and processes, and one of them only is asked about.
  def test_levers_are_of_the_processes_that_take_such_units
    WEB.in_a_file(JOBS) do |path|
      store = Holdup::Stores.open(path)
      servers = ->(kind) { Holdup::Inquiry::Sized.new(store, from_s: WEB.from_s, to_s: WEB.to_s, kind:, objective: nil).lately.map { |sample| sample[:server] }.uniq }
      assert_equal [%w[puma], %w[sidekiq]], [servers.call(:request), servers.call(:job)]
      store.close
    end
  end

  def test_what_came_of_earlier_predictions_of_such_units_corrects_others
    store = Holdup::Stores.open("memory:").tap { |one| WEB.fill(one) }
    ask = -> { Holdup::Inquiry::Sized.new(store, from_s: WEB.from_s, to_s: WEB.to_s, kind: :request, objective: nil).recommendation.bias }
    store.keep(Learned.outcome(1.1, kind: :job))
    assert_predicate ask.call, :none?
    store.keep(Learned.outcome(1.1))
    assert_equal 1, ask.call.corrections.fetch(:p95).predictions
  end
end
