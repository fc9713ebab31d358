# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../support/learned"
require_relative "../../support/played_store"

class Holdup::Queries::ApplicationStoreTest < Minitest::Test
  # Each in a store of its own is what each must be in the common one.
  def test_shows_one_application_of_a_shared_store
    shop, admin = %w[shop admin].each_with_index.map { |app, index|
      PlayedStore.new(PlayedRecording.new(minutes: 2, seed: index), facts: {"app" => app}, pid: 7 + index)
    }
    common, alone = [[shop, admin], [admin]].map do |applications|
      Holdup::Store.open("memory:").tap { |store| applications.each { |played| played.fill(store) } }
    end
    found = Holdup::Queries::ApplicationStore.new(common, "admin")
    span = [shop.from_s, shop.to_s]
    [:windows, :sums, :stalls, :profiles].each { |what|
      assert_equal alone.public_send(what, *span).to_set, found.public_send(what, *span).to_set, what
    }
    assert_equal [alone.settings, alone.setting_starts(*span, step_s: 60)],
      [found.settings, found.setting_starts(*span, step_s: 60)]
    outcomes = %w[shop admin].map { |app| Learned.outcome(app:) }.each { |outcome| common.keep(outcome) }
    assert_equal outcomes.last(1), found.outcomes
    assert_equal alone.processes(*span).to_set,
      found.processes(*span).map { |sample| sample.except(:shared) }.to_set
    assert_empty found.sums(*span, settings: common.settings - alone.settings)
    assert_equal %w[admin shop], Holdup::Queries::ApplicationStore.names(common)
  end

  # Both can use the CPUs of a container, and one of them alone is looked at.
  def test_a_shared_container_has_no_ceiling_of_one_application
    shop, admin = %w[shop admin].each_with_index.map { |app, index|
      PlayedStore.new(PlayedRecording.new(minutes: 2, seed: index), facts: {"app" => app}, pid: 7 + index)
    }
    ceilings = [[shop], [shop, admin]].map do |played|
      store = Holdup::Store.open("memory:").tap { |one| played.each { |each| each.fill(one) } }
      own = Holdup::Queries::ApplicationStore.new(store, "shop")
      summary = Holdup::Queries::LoadSummary.call(own, from_s: shop.from_s, to_s: shop.to_s)
      summary.processes.machines.map { |machine| machine.ceiling&.processes }
    end
    assert_equal [[1], [nil]], ceilings
  end

  def test_an_application_that_has_no_name
    store = Holdup::Store.open("memory:").tap { |one| one.commit(SampleWindows.new(minutes: 1).to_a, {}) }
    assert_equal 1, Holdup::Queries::ApplicationStore.new(store, "-").settings.size
    error = assert_raises(Holdup::UsageError) { Holdup::Queries::ApplicationStore.new(store, "shop") }
    assert_match(/there are -/, error.message)
  end
end
